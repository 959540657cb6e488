// OCKL: work-item queries, clocks, integer helpers and dot products. Hidden argument offsets are those of code object
// version 5 and later.
#include "base.h"

enum {
  HIDDEN_BLOCK_COUNT = 0,  // u32 x 3: whole workgroups
  HIDDEN_GROUP_SIZE = 12,  // u16 x 3
  HIDDEN_REMAINDER = 18,   // u16 x 3: size of the partial workgroup at the end, or 0
  HIDDEN_OFFSET = 40,      // u64 x 3
  HIDDEN_DIMENSIONS = 64,  // u16
};

// ---- integer helpers (any target) ---------------------------------------------------------------------------------
PURE u32 __ockl_clz_u32(u32 x) { return x ? (u32)__builtin_clz(x) : 32; }
PURE u64 __ockl_clz_u64(u64 x) { return x ? (u64)__builtin_clzl(x) : 64; }
PURE u32 __ockl_ctz_u32(u32 x) { return x ? (u32)__builtin_ctz(x) : 32; }
PURE u64 __ockl_ctz_u64(u64 x) { return x ? (u64)__builtin_ctzl(x) : 64; }
PURE u32 __ockl_popcount_u32(u32 x) { return (u32)__builtin_popcount(x); }
PURE u64 __ockl_popcount_u64(u64 x) { return (u64)__builtin_popcountl(x); }
PURE int __ockl_mul_hi_i32(int x, int y) { return (int)(((i64)x * (i64)y) >> 32); }
PURE u32 __ockl_mul_hi_u32(u32 x, u32 y) { return (u32)(((u64)x * (u64)y) >> 32); }
PURE i64 __ockl_mul_hi_i64(i64 x, i64 y) { return (i64)(((__int128)x * (__int128)y) >> 64); }
PURE u64 __ockl_mul_hi_u64(u64 x, u64 y) { return (u64)(((unsigned __int128)x * (unsigned __int128)y) >> 64); }
PURE int __ockl_mul24_i32(int x, int y) { return ((x << 8) >> 8) * ((y << 8) >> 8); }
PURE u32 __ockl_mul24_u32(u32 x, u32 y) { return (x & 0xffffffu) * (y & 0xffffffu); }
PURE u32 __ockl_bfm_u32(u32 width, u32 offset) { return ((1u << (width & 31)) - 1u) << (offset & 31); }
PURE u32 __ockl_bfe_u32(u32 x, u32 offset, u32 width) {
  offset &= 31;
  width &= 31;
  return (x >> offset) & ((1u << width) - 1u);
}
PURE int __ockl_bfe_i32(int x, u32 offset, u32 width) {
  offset &= 31;
  width &= 31;
  if (width == 0) return 0;
  u32 up = offset + width >= 32 ? 0 : 32 - offset - width;
  return offset + width >= 32 ? x >> offset : (int)((u32)x << up) >> (32 - width);
}
PURE u32 __ockl_bfi_u32(u32 mask, u32 insert, u32 base) { return (mask & insert) | (~mask & base); }
PURE u32 __ockl_bitalign_u32(u32 high, u32 low, u32 shift) {
  return (u32)((((u64)high << 32) | low) >> (shift & 31));
}
PURE u32 __ockl_bytealign_u32(u32 high, u32 low, u32 shift) {
  return (u32)((((u64)high << 32) | low) >> (8 * (shift & 3)));
}
PURE u32 __ockl_lerp_u32(u32 a, u32 b, u32 c) {  // per byte (a + b + (c & 1)) >> 1
  u32 r = 0;
#pragma unroll
  for (int i = 0; i < 32; i += 8) r |= ((((a >> i) & 255) + ((b >> i) & 255) + ((c >> i) & 1)) >> 1) << i;
  return r;
}
PURE u32 __ockl_sad_u32(u32 a, u32 b, u32 c) { return (a > b ? a - b : b - a) + c; }
PURE u32 __ockl_sad_u8(u32 a, u32 b, u32 c) {
#pragma unroll
  for (int i = 0; i < 32; i += 8) c = __ockl_sad_u32((a >> i) & 255, (b >> i) & 255, c);
  return c;
}
PURE u32 __ockl_sad_hi_u8(u32 a, u32 b, u32 c) { return (__ockl_sad_u8(a, b, 0) << 16) + c; }
PURE u32 __ockl_sad_u16(u32 a, u32 b, u32 c) {
  return __ockl_sad_u32(a >> 16, b >> 16, __ockl_sad_u32(a & 0xffff, b & 0xffff, c));
}
PURE u32 __ockl_msad_u8(u32 a, u32 b, u32 c) {  // bytes of b that are 0 do not count
#pragma unroll
  for (int i = 0; i < 32; i += 8) {
    u32 y = (b >> i) & 255;
    c = y ? __ockl_sad_u32((a >> i) & 255, y, c) : c;
  }
  return c;
}

#define MIN_MAX_3(S, T)                                                                          \
  PURE T __ockl_min3_##S(T a, T b, T c) { return a < b ? (a < c ? a : c) : (b < c ? b : c); }    \
  PURE T __ockl_max3_##S(T a, T b, T c) { return a > b ? (a > c ? a : c) : (b > c ? b : c); }    \
  PURE T __ockl_median3_##S(T a, T b, T c) {                                                     \
    T low = a < b ? a : b, high = a < b ? b : a;                                                 \
    return c < low ? low : c > high ? high : c;                                                  \
  }
MIN_MAX_3(i32, int)
MIN_MAX_3(u32, u32)
MIN_MAX_3(f32, float)

#define SATURATING(S, T)                                                                         \
  PURE T __ockl_add_sat_##S(T a, T b) { return __builtin_elementwise_add_sat(a, b); }            \
  PURE T __ockl_sub_sat_##S(T a, T b) { return __builtin_elementwise_sub_sat(a, b); }
SATURATING(i32, int)
SATURATING(u32, u32)
SATURATING(i64, i64)
SATURATING(u64, u64)

// ---- dot products: exact products, summed in the wider type -------------------------------------------------------
typedef short dot_short2 __attribute__((ext_vector_type(2)));
typedef u16 dot_ushort2 __attribute__((ext_vector_type(2)));
PURE float __ockl_fdot2_f32_f16_f16(half2 a, half2 b, float c, bool clamp) {
  float r = fma_((float)a.x, (float)b.x, fma_((float)a.y, (float)b.y, c));
  return clamp ? fmin_(fmax_(r, 0.0f), 1.0f) : r;
}
PURE int __ockl_sdot2(dot_short2 a, dot_short2 b, int c, bool clamp) {
  i64 r = (i64)((int)a.x * (int)b.x) + (i64)((int)a.y * (int)b.y) + c;
  i64 top = 0x7fffffff, bottom = -top - 1;
  return clamp ? (int)(r < bottom ? bottom : r > top ? top : r) : (int)(u32)(u64)r;
}
PURE u32 __ockl_udot2(dot_ushort2 a, dot_ushort2 b, u32 c, bool clamp) {
  u64 r = (u64)((u32)a.x * (u32)b.x) + (u64)((u32)a.y * (u32)b.y) + c;
  return clamp && r > 0xffffffffu ? 0xffffffffu : (u32)r;
}
#define PACKED_DOT(NAME, BITS)                                                                   \
  PURE int __ockl_s##NAME(int a, int b, int c, bool clamp) {                                     \
    i64 r = c;                                                                                   \
    _Pragma("unroll") for (int i = 32 - BITS; i >= 0; i -= BITS) {                               \
      int x = (int)((u32)a << i) >> (32 - BITS), y = (int)((u32)b << i) >> (32 - BITS);          \
      r += x * y;                                                                                \
    }                                                                                            \
    i64 top = 0x7fffffff, bottom = -top - 1;                                                     \
    return clamp ? (int)(r < bottom ? bottom : r > top ? top : r) : (int)(u32)(u64)r;            \
  }                                                                                              \
  PURE u32 __ockl_u##NAME(u32 a, u32 b, u32 c, bool clamp) {                                     \
    u64 r = c;                                                                                   \
    _Pragma("unroll") for (int i = 0; i < 32; i += BITS) {                                       \
      u32 x = (a >> i) & ((1u << BITS) - 1u), y = (b >> i) & ((1u << BITS) - 1u);                \
      r += x * y;                                                                                \
    }                                                                                            \
    return clamp && r > 0xffffffffu ? 0xffffffffu : (u32)r;                                      \
  }
PACKED_DOT(dot4, 8)
PACKED_DOT(dot8, 4)

#if defined(__AMDGCN__)
// ---- where am I ---------------------------------------------------------------------------------------------------
template <class T> INLINE T implicit(int offset) {
  return *(const CONSTANT T *)((const CONSTANT u8 *)__builtin_amdgcn_implicitarg_ptr() + offset);
}
INLINE u32 work_item(u32 d) {
  return d == 0 ? __builtin_amdgcn_workitem_id_x() : d == 1 ? __builtin_amdgcn_workitem_id_y()
       : d == 2 ? __builtin_amdgcn_workitem_id_z() : 0;
}
INLINE u32 work_group(u32 d) {
  return d == 0 ? __builtin_amdgcn_workgroup_id_x() : d == 1 ? __builtin_amdgcn_workgroup_id_y()
       : d == 2 ? __builtin_amdgcn_workgroup_id_z() : 0;
}
INLINE u32 full_size(u32 d) { return implicit<u16>(HIDDEN_GROUP_SIZE + 2 * d); }
INLINE u32 remainder_size(u32 d) { return implicit<u16>(HIDDEN_REMAINDER + 2 * d); }
INLINE u32 whole_groups(u32 d) { return implicit<u32>(HIDDEN_BLOCK_COUNT + 4 * d); }

API u64 __ockl_get_local_id(u32 d) { return work_item(d); }
API u64 __ockl_get_group_id(u32 d) { return work_group(d); }
API u64 __ockl_get_enqueued_local_size(u32 d) { return d < 3 ? full_size(d) : 1; }
API u64 __ockl_get_local_size(u32 d) {
  if (d >= 3) return 1;
  return work_group(d) < whole_groups(d) ? full_size(d) : remainder_size(d);
}
API u64 __ockl_get_num_groups(u32 d) { return d < 3 ? whole_groups(d) + (remainder_size(d) ? 1u : 0u) : 1; }
API u64 __ockl_get_global_size(u32 d) {
  return d < 3 ? (u64)whole_groups(d) * full_size(d) + remainder_size(d) : 1;
}
API u64 __ockl_get_global_offset(u32 d) { return d < 3 ? implicit<u64>(HIDDEN_OFFSET + 8 * d) : 0; }
API u64 __ockl_get_global_id(u32 d) {
  if (d >= 3) return 0;
  return (u64)work_group(d) * full_size(d) + work_item(d) + implicit<u64>(HIDDEN_OFFSET + 8 * d);
}
API u32 __ockl_get_work_dim() { return implicit<u16>(HIDDEN_DIMENSIONS); }
API u64 __ockl_get_local_linear_id() {
  return (work_item(2) * full_size(1) + work_item(1)) * full_size(0) + work_item(0);
}
API bool __ockl_is_local_addr(const void *p) { return __builtin_amdgcn_is_shared((const __attribute__((address_space(0))) void *)p); }
API bool __ockl_is_private_addr(const void *p) { return __builtin_amdgcn_is_private((const __attribute__((address_space(0))) void *)p); }

// ---- clocks -------------------------------------------------------------------------------------------------------
API u64 __ockl_cyclectr_u64() { return __builtin_readcyclecounter(); }
API u64 __ockl_steadyctr_u64() { return __builtin_readsteadycounter(); }
API u64 __ockl_memtime_u64() { return __builtin_readcyclecounter(); }
API u64 __ockl_memrealtime_u64() { return __builtin_readsteadycounter(); }
API void __ockl_rtcwait_u32(u32 ticks) {
  u64 until = __builtin_readsteadycounter() + ticks;
  while ((i64)(__builtin_readsteadycounter() - until) < 0) __builtin_amdgcn_s_sleep(1);
}
#endif
