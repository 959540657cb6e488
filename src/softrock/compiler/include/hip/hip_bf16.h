/* Part of softrock (MIT licence, see LICENSE). bfloat16: __hip_bfloat16, __hip_bfloat162 and the functions on them. */
#ifndef SOFTROCK_HIP_BF16_H
#define SOFTROCK_HIP_BF16_H

#if defined(__cplusplus)

#include "hip/hip_vector_types.h"
#include "hip/detail/half_convert.h"
#if defined(__SR_GPU__)
#include "hip/hip_runtime.h"
#endif

/* Arithmetic is float's, rounded to nearest even once: a float holds more than twice a bfloat16's digits. */
__SR_HOST_DEVICE_INLINE unsigned short __sr_float_to_bfloat(float value) {
    const unsigned int bits = __builtin_bit_cast(unsigned int, value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return (unsigned short)((bits >> 16) | 0x40u);
    return (unsigned short)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
#define SR_C float
#define SR_D float
#define SR_LOAD(bits) __sr_widen_bfloat(bits)
#define SR_STORE(value) __sr_float_to_bfloat(value)
#define SR_FROM_FLOAT(value) __sr_float_to_bfloat(value)
#define SR_FROM_DOUBLE(value) (__sr_narrow<7, 127>(value, 0))
#define SR_FMA __builtin_fmaf
#if defined(__SR_GPU__)
#define SR_NATIVE __bf16
#endif
#define SR_T __hip_bfloat16
#define SR_T2 __hip_bfloat162
#define SR_RAW __hip_bfloat16_raw
#define SR_RAW2 __hip_bfloat162_raw
#define SR_INFINITY 0x7f80u

#include "hip/detail/half_type.inc"
#include "hip/detail/half_operations.inc"

#undef SR_C
#undef SR_D
#undef SR_LOAD
#undef SR_STORE
#undef SR_FROM_FLOAT
#undef SR_FROM_DOUBLE
#undef SR_FMA
#undef SR_NATIVE
#undef SR_T
#undef SR_T2
#undef SR_RAW
#undef SR_RAW2
#undef SR_INFINITY

/* ---- conversions ---- */
#define SR_F __SR_HOST_DEVICE_INLINE
SR_F __hip_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return __hip_bfloat16(__hip_bfloat16_raw{bits}); }
SR_F __hip_bfloat16 __short_as_bfloat16(short bits) { return __ushort_as_bfloat16((unsigned short)bits); }
SR_F unsigned short __bfloat16_as_ushort(__hip_bfloat16 a) { return a.__x; }
SR_F short __bfloat16_as_short(__hip_bfloat16 a) { return (short)a.__x; }
SR_F __hip_bfloat16 __float2bfloat16(float v) { return __hip_bfloat16(v); }
SR_F __hip_bfloat16 __float2bfloat16_rn(float v) { return __hip_bfloat16(v); }
SR_F __hip_bfloat16 __float2bfloat16_rd(float v) { return __ushort_as_bfloat16(__sr_narrow<7, 127>(v, 1)); }
SR_F __hip_bfloat16 __float2bfloat16_ru(float v) { return __ushort_as_bfloat16(__sr_narrow<7, 127>(v, 2)); }
SR_F __hip_bfloat16 __float2bfloat16_rz(float v) { return __ushort_as_bfloat16(__sr_narrow<7, 127>(v, 3)); }
SR_F __hip_bfloat16 __double2bfloat16(double v) { return __hip_bfloat16(v); }
SR_F float __bfloat162float(__hip_bfloat16 a) { return (float)a; }
SR_F __hip_bfloat162 __float2bfloat162_rn(float v) { return __hip_bfloat162(__hip_bfloat16(v), __hip_bfloat16(v)); }
SR_F __hip_bfloat162 __floats2bfloat162_rn(float x, float y) { return __hip_bfloat162(__hip_bfloat16(x), __hip_bfloat16(y)); }
SR_F __hip_bfloat162 __float22bfloat162_rn(float2 v) { return __floats2bfloat162_rn(v.x, v.y); }
SR_F float2 __bfloat1622float2(__hip_bfloat162 a) { return float2{(float)a.x, (float)a.y}; }
SR_F float __low2float(__hip_bfloat162 a) { return (float)a.x; }
SR_F float __high2float(__hip_bfloat162 a) { return (float)a.y; }
SR_F __hip_bfloat162 make_bfloat162(__hip_bfloat16 x, __hip_bfloat16 y) { return __hip_bfloat162(x, y); }
SR_F __hip_bfloat162 __halves2bfloat162(__hip_bfloat16 x, __hip_bfloat16 y) { return __hip_bfloat162(x, y); }
SR_F __hip_bfloat162 __bfloat162bfloat162(__hip_bfloat16 a) { return __hip_bfloat162(a, a); }
SR_F __hip_bfloat16 __low2bfloat16(__hip_bfloat162 a) { return a.x; }
SR_F __hip_bfloat16 __high2bfloat16(__hip_bfloat162 a) { return a.y; }
SR_F __hip_bfloat162 __low2bfloat162(__hip_bfloat162 a) { return __hip_bfloat162(a.x, a.x); }
SR_F __hip_bfloat162 __high2bfloat162(__hip_bfloat162 a) { return __hip_bfloat162(a.y, a.y); }
SR_F __hip_bfloat162 __lows2bfloat162(__hip_bfloat162 a, __hip_bfloat162 b) { return __hip_bfloat162(a.x, b.x); }
SR_F __hip_bfloat162 __highs2bfloat162(__hip_bfloat162 a, __hip_bfloat162 b) { return __hip_bfloat162(a.y, b.y); }
SR_F __hip_bfloat162 __lowhigh2highlow(__hip_bfloat162 a) { return __hip_bfloat162(a.y, a.x); }

#if defined(__SR_GPU__)
#define SR_INTEGER(I, name) \
    SR_F __hip_bfloat16 __##name##2bfloat16_rn(I v) { return __ushort_as_bfloat16(__sr_narrow_integer<7, 127>(v, 0)); } \
    SR_F __hip_bfloat16 __##name##2bfloat16_rd(I v) { return __ushort_as_bfloat16(__sr_narrow_integer<7, 127>(v, 1)); } \
    SR_F __hip_bfloat16 __##name##2bfloat16_ru(I v) { return __ushort_as_bfloat16(__sr_narrow_integer<7, 127>(v, 2)); } \
    SR_F __hip_bfloat16 __##name##2bfloat16_rz(I v) { return __ushort_as_bfloat16(__sr_narrow_integer<7, 127>(v, 3)); } \
    __SR_DEVICE I __bfloat162##name##_rn(__hip_bfloat16 a) { return __sr_saturate<I>(__builtin_rintf((float)a)); } \
    __SR_DEVICE I __bfloat162##name##_rd(__hip_bfloat16 a) { return __sr_saturate<I>(__builtin_floorf((float)a)); } \
    __SR_DEVICE I __bfloat162##name##_ru(__hip_bfloat16 a) { return __sr_saturate<I>(__builtin_ceilf((float)a)); } \
    __SR_DEVICE I __bfloat162##name##_rz(__hip_bfloat16 a) { return __sr_saturate<I>(__builtin_truncf((float)a)); }
SR_INTEGER(short, short)
SR_INTEGER(unsigned short, ushort)
SR_INTEGER(int, int)
SR_INTEGER(unsigned int, uint)
SR_INTEGER(long long, ll)
SR_INTEGER(unsigned long long, ull)
#undef SR_INTEGER
__SR_DEVICE signed char __bfloat162char_rz(__hip_bfloat16 a) { return __sr_saturate<signed char>(__builtin_truncf((float)a)); }
__SR_DEVICE unsigned char __bfloat162uchar_rz(__hip_bfloat16 a) { return __sr_saturate<unsigned char>(__builtin_truncf((float)a)); }
#endif
#undef SR_F

typedef __hip_bfloat16 __nv_bfloat16;
typedef __hip_bfloat162 __nv_bfloat162;
typedef __hip_bfloat16 nv_bfloat16;
typedef __hip_bfloat162 nv_bfloat162;
typedef __hip_bfloat16_raw __nv_bfloat16_raw;
typedef __hip_bfloat162_raw __nv_bfloat162_raw;

#define HIPRT_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80u)
#define HIPRT_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7Fu)
#define HIPRT_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001u)
#define HIPRT_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFu)
#define HIPRT_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000u)
#define HIPRT_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80u)
#define HIPRT_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000u)

#endif
#endif
