/* Part of softrock (MIT licence, see LICENSE). Floating-point intrinsics: fast forms, directed rounding, conversions and bit
 * casts, under the names that CUDA and HIP share. */
#ifndef SOFTROCK_HIP_INTRINSICS_H
#define SOFTROCK_HIP_INTRINSICS_H

#include "hip/detail/math.h"

#if defined(__SR_GPU__)

/* ---- fast single precision ---- */
__SR_DEVICE float __cosf(float x) { return __ocml_native_cos_f32(x); }
__SR_DEVICE float __sinf(float x) { return __ocml_native_sin_f32(x); }
__SR_DEVICE float __tanf(float x) { return __sinf(x) / __cosf(x); }
__SR_DEVICE float __expf(float x) { return __ocml_native_exp_f32(x); }
__SR_DEVICE float __exp10f(float x) { return __ocml_native_exp10_f32(x); }
__SR_DEVICE float __logf(float x) { return __ocml_native_log_f32(x); }
__SR_DEVICE float __log2f(float x) { return __ocml_native_log2_f32(x); }
__SR_DEVICE float __log10f(float x) { return __ocml_native_log10_f32(x); }
__SR_DEVICE float __powf(float x, float y) { return __ocml_pow_f32(x, y); }
__SR_DEVICE float __fdividef(float x, float y) { return x / y; }
__SR_DEVICE float __saturatef(float x) { return __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f); }
__SR_DEVICE void __sincosf(float x, float *s, float *c) { *s = __sinf(x), *c = __cosf(x); }
__SR_DEVICE float __frsqrt_rn(float x) { return __ocml_rsqrt_f32(x); }
/* HIP's names for the hardware's approximations. */
__SR_DEVICE float __hip_fast_rsqrtf(float x) { return __builtin_amdgcn_rsqf(x); }
__SR_DEVICE float __hip_fast_rcpf(float x) { return __builtin_amdgcn_rcpf(x); }

/* ---- arithmetic with a rounding mode: rn nearest even, rd down, ru up, rz to zero ---- */
#define __SR_ROUNDED(T, s, p, d, suffix, ocml) \
    __SR_DEVICE T __##p##add_##suffix(T x, T y) { return __ocml_add_##ocml##_##s(x, y); } \
    __SR_DEVICE T __##p##sub_##suffix(T x, T y) { return __ocml_sub_##ocml##_##s(x, y); } \
    __SR_DEVICE T __##p##mul_##suffix(T x, T y) { return __ocml_mul_##ocml##_##s(x, y); } \
    __SR_DEVICE T __##d##div_##suffix(T x, T y) { return __ocml_div_##ocml##_##s(x, y); } \
    __SR_DEVICE T __##d##rcp_##suffix(T x) { return __ocml_div_##ocml##_##s(1, x); } \
    __SR_DEVICE T __##d##sqrt_##suffix(T x) { return __ocml_sqrt_##ocml##_##s(x); }
#define __SR_ALL_ROUNDED(T, s, p, d) \
    __SR_ROUNDED(T, s, p, d, rd, rtn) \
    __SR_ROUNDED(T, s, p, d, ru, rtp) \
    __SR_ROUNDED(T, s, p, d, rz, rtz)
__SR_ALL_ROUNDED(float, f32, f, f)
__SR_ALL_ROUNDED(double, f64, d, d)
#undef __SR_ALL_ROUNDED
#undef __SR_ROUNDED
/* Nearest, and never fused with a neighbour: that is what these are for. */
#define __SR_NEAREST(T, p, root) \
    __SR_DEVICE T __##p##add_rn(T x, T y) { _Pragma("clang fp contract(off)") return x + y; } \
    __SR_DEVICE T __##p##sub_rn(T x, T y) { _Pragma("clang fp contract(off)") return x - y; } \
    __SR_DEVICE T __##p##mul_rn(T x, T y) { _Pragma("clang fp contract(off)") return x * y; } \
    __SR_DEVICE T __##p##div_rn(T x, T y) { _Pragma("clang fp contract(off)") return x / y; } \
    __SR_DEVICE T __##p##rcp_rn(T x) { _Pragma("clang fp contract(off)") return 1 / x; } \
    __SR_DEVICE T __##p##sqrt_rn(T x) { return root(x); }
__SR_NEAREST(float, f, __builtin_sqrtf)
__SR_NEAREST(double, d, __builtin_sqrt)
#undef __SR_NEAREST
__SR_DEVICE float __fmaf_rn(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
__SR_DEVICE float __fmaf_rd(float x, float y, float z) { return __ocml_fma_rtn_f32(x, y, z); }
__SR_DEVICE float __fmaf_ru(float x, float y, float z) { return __ocml_fma_rtp_f32(x, y, z); }
__SR_DEVICE float __fmaf_rz(float x, float y, float z) { return __ocml_fma_rtz_f32(x, y, z); }
__SR_DEVICE double __fma_rn(double x, double y, double z) { return __builtin_fma(x, y, z); }
__SR_DEVICE double __fma_rd(double x, double y, double z) { return __ocml_fma_rtn_f64(x, y, z); }
__SR_DEVICE double __fma_ru(double x, double y, double z) { return __ocml_fma_rtp_f64(x, y, z); }
__SR_DEVICE double __fma_rz(double x, double y, double z) { return __ocml_fma_rtz_f64(x, y, z); }

/* ---- floating point to integer ---- */
/* Out of range saturates and NaN becomes 0, as the hardware's conversion does. */
template <typename I, typename F> __SR_DEVICE I __sr_saturate(F x) {
    constexpr int bits = sizeof(I) * 8;
    constexpr bool is_signed = (I)-1 < (I)0;
    constexpr F top = (F)(1ull << (is_signed ? bits - 2 : bits - 1)) * 2;
    constexpr I most = is_signed ? (I)(~0ull >> (65 - bits)) : (I)~(I)0;
    if (!(x == x)) return 0;
    if (x >= top) return most;
    if (is_signed ? x < -top : x <= (F)-1) return is_signed ? (I)(-most - 1) : 0;
    return x < 0 && !is_signed ? 0 : (I)x;
}
#define __SR_TO_INTEGER(F, from, fs, I, to) \
    __SR_DEVICE I __##from##2##to##_rn(F x) { return __sr_saturate<I>(__builtin_rint##fs(x)); } \
    __SR_DEVICE I __##from##2##to##_rd(F x) { return __sr_saturate<I>(__builtin_floor##fs(x)); } \
    __SR_DEVICE I __##from##2##to##_ru(F x) { return __sr_saturate<I>(__builtin_ceil##fs(x)); } \
    __SR_DEVICE I __##from##2##to##_rz(F x) { return __sr_saturate<I>(__builtin_trunc##fs(x)); }
__SR_TO_INTEGER(float, float, f, int, int)
__SR_TO_INTEGER(float, float, f, unsigned int, uint)
__SR_TO_INTEGER(float, float, f, long long, ll)
__SR_TO_INTEGER(float, float, f, unsigned long long, ull)
__SR_TO_INTEGER(double, double, , int, int)
__SR_TO_INTEGER(double, double, , unsigned int, uint)
__SR_TO_INTEGER(double, double, , long long, ll)
__SR_TO_INTEGER(double, double, , unsigned long long, ull)
#undef __SR_TO_INTEGER

/* ---- integer to floating point, double to float ---- */
#define __SR_FROM_INTEGER(I, from, F, to, s, cast) \
    __SR_DEVICE F __##from##2##to##_rn(I x) { return (F)x; } \
    __SR_DEVICE F __##from##2##to##_rd(I x) { return __ocml_cvtrtn_##s((cast)x); } \
    __SR_DEVICE F __##from##2##to##_ru(I x) { return __ocml_cvtrtp_##s((cast)x); } \
    __SR_DEVICE F __##from##2##to##_rz(I x) { return __ocml_cvtrtz_##s((cast)x); }
__SR_FROM_INTEGER(int, int, float, float, f32_s32, int)
__SR_FROM_INTEGER(unsigned int, uint, float, float, f32_u32, unsigned int)
__SR_FROM_INTEGER(long long, ll, float, float, f32_s64, long)
__SR_FROM_INTEGER(unsigned long long, ull, float, float, f32_u64, unsigned long)
__SR_FROM_INTEGER(long long, ll, double, double, f64_s64, long)
__SR_FROM_INTEGER(unsigned long long, ull, double, double, f64_u64, unsigned long)
__SR_FROM_INTEGER(double, double, float, float, f32_f64, double)
#undef __SR_FROM_INTEGER
__SR_DEVICE double __int2double_rn(int x) { return x; }
__SR_DEVICE double __uint2double_rn(unsigned int x) { return x; }

/* ---- bits ---- */
__SR_DEVICE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
__SR_DEVICE unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
__SR_DEVICE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
__SR_DEVICE float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
__SR_DEVICE long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
__SR_DEVICE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
__SR_DEVICE int __double2hiint(double x) { return (int)(__builtin_bit_cast(unsigned long long, x) >> 32); }
__SR_DEVICE int __double2loint(double x) { return (int)__builtin_bit_cast(unsigned long long, x); }
__SR_DEVICE double __hiloint2double(int hi, int lo) {
    return __builtin_bit_cast(double, ((unsigned long long)(unsigned int)hi << 32) | (unsigned int)lo);
}

#endif
#endif
