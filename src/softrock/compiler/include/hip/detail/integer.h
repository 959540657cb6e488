/* Part of softrock (MIT licence, see LICENSE). Integer intrinsics of CUDA and HIP. */
#ifndef SOFTROCK_HIP_INTEGER_H
#define SOFTROCK_HIP_INTEGER_H

#include "hip/detail/macros.h"

#if defined(__SR_GPU__)

__SR_DEVICE int __popc(unsigned int x) { return __builtin_popcount(x); }
__SR_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
/* Zero has all its bits leading zeros; the builtins leave that case open. */
__SR_DEVICE int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned int)x); }
__SR_DEVICE int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
__SR_DEVICE int __ffs(int x) { return __builtin_ffs(x); }
__SR_DEVICE int __ffs(unsigned int x) { return __builtin_ffs((int)x); }
__SR_DEVICE int __ffsll(long long x) { return __builtin_ffsll(x); }
__SR_DEVICE int __ffsll(unsigned long long x) { return __builtin_ffsll((long long)x); }
__SR_DEVICE int __ffsll(unsigned long x) { return __builtin_ffsll((long long)x); }
__SR_DEVICE unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
__SR_DEVICE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }

/* Four bytes picked out of the eight of y:x by the low three bits of each selector nibble. */
__SR_DEVICE unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) {
    const unsigned int s = selector & 0x7777u;
    return __builtin_amdgcn_perm(y, x, (s & 7u) | (s & 0x70u) << 4 | (s & 0x700u) << 8 | (s & 0x7000u) << 12);
}

__SR_DEVICE unsigned int __funnelshift_l(unsigned int lo, unsigned int hi, unsigned int n) {
    return (unsigned int)(((((unsigned long long)hi << 32) | lo) << (n & 31u)) >> 32);
}
__SR_DEVICE unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi, unsigned int n) {
    return n >= 32u ? lo : __funnelshift_l(lo, hi, n);
}
__SR_DEVICE unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int n) {
    return (unsigned int)((((unsigned long long)hi << 32) | lo) >> (n & 31u));
}
__SR_DEVICE unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi, unsigned int n) {
    return n >= 32u ? hi : __funnelshift_r(lo, hi, n);
}

__SR_DEVICE int __mulhi(int x, int y) { return (int)(((long long)x * y) >> 32); }
__SR_DEVICE unsigned int __umulhi(unsigned int x, unsigned int y) {
    return (unsigned int)(((unsigned long long)x * y) >> 32);
}
__SR_DEVICE long long __mul64hi(long long x, long long y) { return (long long)(((__int128)x * y) >> 64); }
__SR_DEVICE unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    return (unsigned long long)(((unsigned __int128)x * y) >> 64);
}
/* 24-bit factors, the low 32 bits of the product. */
__SR_DEVICE int __mul24(int x, int y) { return ((x << 8) >> 8) * ((y << 8) >> 8); }
__SR_DEVICE unsigned int __umul24(unsigned int x, unsigned int y) { return (x & 0xffffffu) * (y & 0xffffffu); }
__SR_DEVICE int mul24(int x, int y) { return __mul24(x, y); }
__SR_DEVICE unsigned int umul24(unsigned int x, unsigned int y) { return __umul24(x, y); }

/* Averages without overflow: halving add, rounded down and up. */
__SR_DEVICE int __hadd(int x, int y) { return (int)(((long long)x + y) >> 1); }
__SR_DEVICE int __rhadd(int x, int y) { return (int)(((long long)x + y + 1) >> 1); }
__SR_DEVICE unsigned int __uhadd(unsigned int x, unsigned int y) { return (unsigned int)(((unsigned long long)x + y) >> 1); }
__SR_DEVICE unsigned int __urhadd(unsigned int x, unsigned int y) {
    return (unsigned int)(((unsigned long long)x + y + 1) >> 1);
}
__SR_DEVICE unsigned int __sad(int x, int y, unsigned int z) {
    return (x > y ? (unsigned int)x - (unsigned int)y : (unsigned int)y - (unsigned int)x) + z;
}
__SR_DEVICE unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) { return (x > y ? x - y : y - x) + z; }

/* Four-way byte and two-way half-word dot products, exact in 32 bits. */
__SR_DEVICE int __dp4a(int a, int b, int c) {
    for (int i = 0; i < 32; i += 8) c += (int)(signed char)(a >> i) * (signed char)(b >> i);
    return c;
}
__SR_DEVICE unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
    for (int i = 0; i < 32; i += 8) c += ((a >> i) & 255u) * ((b >> i) & 255u);
    return c;
}
__SR_DEVICE int __dp2a_lo(int a, int b, int c) {
    return c + (int)(short)a * (signed char)b + (int)(short)(a >> 16) * (signed char)(b >> 8);
}
__SR_DEVICE int __dp2a_hi(int a, int b, int c) {
    return c + (int)(short)a * (signed char)(b >> 16) + (int)(short)(a >> 16) * (signed char)(b >> 24);
}
__SR_DEVICE unsigned int __dp2a_lo(unsigned int a, unsigned int b, unsigned int c) {
    return c + (a & 0xffffu) * (b & 255u) + (a >> 16) * ((b >> 8) & 255u);
}
__SR_DEVICE unsigned int __dp2a_hi(unsigned int a, unsigned int b, unsigned int c) {
    return c + (a & 0xffffu) * ((b >> 16) & 255u) + (a >> 16) * (b >> 24);
}

/* AMD's bit-field and mask-count helpers. */
__SR_DEVICE unsigned int __bitextract_u32(unsigned int x, unsigned int offset, unsigned int width) {
    offset &= 31u, width &= 31u;
    return (x >> offset) & ((1u << width) - 1u);
}
__SR_DEVICE unsigned int __bitinsert_u32(unsigned int x, unsigned int y, unsigned int offset, unsigned int width) {
    offset &= 31u, width &= 31u;
    const unsigned int mask = (1u << width) - 1u;
    return (x & ~(mask << offset)) | ((y & mask) << offset);
}
__SR_DEVICE unsigned long long __bitextract_u64(unsigned long long x, unsigned int offset, unsigned int width) {
    offset &= 63u, width &= 63u;
    return (x >> offset) & ((1ull << width) - 1ull);
}
__SR_DEVICE unsigned long long __bitinsert_u64(unsigned long long x, unsigned long long y, unsigned int offset,
                                               unsigned int width) {
    offset &= 63u, width &= 63u;
    const unsigned long long mask = (1ull << width) - 1ull;
    return (x & ~(mask << offset)) | ((y & mask) << offset);
}
__SR_DEVICE unsigned int __mbcnt_lo(unsigned int mask, unsigned int add) { return __builtin_amdgcn_mbcnt_lo(mask, add); }
__SR_DEVICE unsigned int __mbcnt_hi(unsigned int mask, unsigned int add) { return __builtin_amdgcn_mbcnt_hi(mask, add); }
__SR_DEVICE unsigned int __amdgcn_perm(unsigned int a, unsigned int b, unsigned int s) { return __builtin_amdgcn_perm(a, b, s); }

/* ---- min and max over integers (and mixed integers) ---- */
/* CUDA gives the host these too; HIP gives it the plain ones. Same-signedness mixes promote, others go unsigned, as C does. */
#define __SR_MINMAX(A, B, R) \
    __SR_HOST_DEVICE_INLINE constexpr R max(A x, B y) { return (R)x > (R)y ? (R)x : (R)y; } \
    __SR_HOST_DEVICE_INLINE constexpr R min(A x, B y) { return (R)x < (R)y ? (R)x : (R)y; }
__SR_MINMAX(int, int, int)
__SR_MINMAX(unsigned int, unsigned int, unsigned int)
__SR_MINMAX(int, unsigned int, unsigned int)
__SR_MINMAX(unsigned int, int, unsigned int)
__SR_MINMAX(long, long, long)
__SR_MINMAX(unsigned long, unsigned long, unsigned long)
__SR_MINMAX(long, unsigned long, unsigned long)
__SR_MINMAX(unsigned long, long, unsigned long)
__SR_MINMAX(long long, long long, long long)
__SR_MINMAX(unsigned long long, unsigned long long, unsigned long long)
__SR_MINMAX(long long, unsigned long long, unsigned long long)
__SR_MINMAX(unsigned long long, long long, unsigned long long)
#undef __SR_MINMAX
__SR_DEVICE unsigned int umin(unsigned int x, unsigned int y) { return x < y ? x : y; }
__SR_DEVICE unsigned int umax(unsigned int x, unsigned int y) { return x > y ? x : y; }
__SR_DEVICE long long llmin(long long x, long long y) { return x < y ? x : y; }
__SR_DEVICE long long llmax(long long x, long long y) { return x > y ? x : y; }
__SR_DEVICE unsigned long long ullmin(unsigned long long x, unsigned long long y) { return x < y ? x : y; }
__SR_DEVICE unsigned long long ullmax(unsigned long long x, unsigned long long y) { return x > y ? x : y; }

#endif
#endif
