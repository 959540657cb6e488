/* Part of softrock (MIT licence, see LICENSE). 8-bit floating point: storage types, conversions, and number types of one, two and
 * four elements for the OCP and the FNUZ formats (see detail/fp8_convert.h). */
#ifndef SOFTROCK_HIP_FP8_H
#define SOFTROCK_HIP_FP8_H

#if defined(__cplusplus)

#include "hip/hip_bf16.h"
#include "hip/hip_fp16.h"
#include "hip/detail/fp8_convert.h"

/* Both families work on every target here; the hardware's own one is this. */
#if defined(__gfx942__)
#define HIP_FP8_TYPE_FNUZ 1
#define HIP_FP8_TYPE_OCP 0
#else
#define HIP_FP8_TYPE_FNUZ 0
#define HIP_FP8_TYPE_OCP 1
#endif

#define SR_F __SR_HOST_DEVICE_INLINE
#define SR_HOW __hip_saturation_t saturate, __hip_fp8_interpretation_t kind
SR_F __hip_fp8x2_storage_t __sr_fp8_pair(__hip_fp8_storage_t low, __hip_fp8_storage_t high) {
    return (__hip_fp8x2_storage_t)(low | high << 8);
}
SR_F __hip_fp8_storage_t __hip_cvt_halfraw_to_fp8(__half_raw x, SR_HOW) {
    return __hip_cvt_float_to_fp8((float)__half(x), saturate, kind);
}
SR_F __hip_fp8_storage_t __hip_cvt_bfloat16raw_to_fp8(__hip_bfloat16_raw x, SR_HOW) {
    return __hip_cvt_float_to_fp8((float)__hip_bfloat16(x), saturate, kind);
}
SR_F __hip_fp8x2_storage_t __hip_cvt_float2_to_fp8x2(float2 v, SR_HOW) {
    return __sr_fp8_pair(__hip_cvt_float_to_fp8(v.x, saturate, kind), __hip_cvt_float_to_fp8(v.y, saturate, kind));
}
SR_F __hip_fp8x2_storage_t __hip_cvt_double2_to_fp8x2(double2 v, SR_HOW) {
    return __sr_fp8_pair(__hip_cvt_double_to_fp8(v.x, saturate, kind), __hip_cvt_double_to_fp8(v.y, saturate, kind));
}
SR_F __hip_fp8x2_storage_t __hip_cvt_halfraw2_to_fp8x2(__half2_raw v, SR_HOW) {
    return __sr_fp8_pair(__hip_cvt_halfraw_to_fp8(__half_raw{v.x}, saturate, kind),
                         __hip_cvt_halfraw_to_fp8(__half_raw{v.y}, saturate, kind));
}
SR_F __hip_fp8x2_storage_t __hip_cvt_bfloat16raw2_to_fp8x2(__hip_bfloat162_raw v, SR_HOW) {
    return __sr_fp8_pair(__hip_cvt_bfloat16raw_to_fp8(__hip_bfloat16_raw{v.x}, saturate, kind),
                         __hip_cvt_bfloat16raw_to_fp8(__hip_bfloat16_raw{v.y}, saturate, kind));
}
SR_F __half_raw __hip_cvt_fp8_to_halfraw(__hip_fp8_storage_t x, __hip_fp8_interpretation_t kind) {
    return __half(__sr_fp8_to_float(x, kind));
}
SR_F __half2_raw __hip_cvt_fp8x2_to_halfraw2(__hip_fp8x2_storage_t x, __hip_fp8_interpretation_t kind) {
    return __half2(__half(__sr_fp8_to_float((__hip_fp8_storage_t)x, kind)),
                   __half(__sr_fp8_to_float((__hip_fp8_storage_t)(x >> 8), kind)));
}
#undef SR_HOW

/* ---- number types. Construction saturates; there is no arithmetic but through float. ---- */
#define SR_FP8(name, kind) \
    struct name { \
        __hip_fp8_storage_t __x; \
        static constexpr __hip_fp8_interpretation_t __default_interpret = kind; \
        static constexpr __hip_saturation_t __default_saturation = __HIP_SATFINITE; \
        name() = default; \
        __SR_HOST_DEVICE explicit name(double v) : __x(__hip_cvt_double_to_fp8(v, __HIP_SATFINITE, kind)) {} \
        __SR_HOST_DEVICE explicit name(float v) : __x(__hip_cvt_float_to_fp8(v, __HIP_SATFINITE, kind)) {} \
        __SR_HOST_DEVICE explicit name(__half v) : name((float)v) {} \
        __SR_HOST_DEVICE explicit name(__hip_bfloat16 v) : name((float)v) {} \
        __SR_HOST_DEVICE explicit name(int v) : name((double)v) {} \
        __SR_HOST_DEVICE explicit name(unsigned int v) : name((double)v) {} \
        __SR_HOST_DEVICE explicit name(short v) : name((double)v) {} \
        __SR_HOST_DEVICE explicit name(unsigned short v) : name((double)v) {} \
        __SR_HOST_DEVICE explicit name(long v) : name((double)v) {} \
        __SR_HOST_DEVICE explicit name(unsigned long v) : name((double)v) {} \
        __SR_HOST_DEVICE explicit name(long long v) : name((double)v) {} \
        __SR_HOST_DEVICE explicit name(unsigned long long v) : name((double)v) {} \
        __SR_HOST_DEVICE operator float() const { return __sr_fp8_to_float(__x, kind); } \
        __SR_HOST_DEVICE explicit operator double() const { return (float)*this; } \
        __SR_HOST_DEVICE explicit operator __half() const { return __half((float)*this); } \
        __SR_HOST_DEVICE explicit operator __hip_bfloat16() const { return __hip_bfloat16((float)*this); } \
        __SR_HOST_DEVICE explicit operator bool() const { return (float)*this != 0.0f; } \
        __SR_HOST_DEVICE explicit operator int() const { return (int)(float)*this; } \
        __SR_HOST_DEVICE explicit operator unsigned int() const { return (unsigned int)(float)*this; } \
    }; \
    struct __SR_FP8_NAME(name, x2) { \
        __hip_fp8x2_storage_t __x; \
        __SR_FP8_NAME(name, x2)() = default; \
        __SR_HOST_DEVICE explicit __SR_FP8_NAME(name, x2)(float2 v) \
            : __x(__hip_cvt_float2_to_fp8x2(v, __HIP_SATFINITE, kind)) {} \
        __SR_HOST_DEVICE explicit __SR_FP8_NAME(name, x2)(double2 v) \
            : __x(__hip_cvt_double2_to_fp8x2(v, __HIP_SATFINITE, kind)) {} \
        __SR_HOST_DEVICE explicit __SR_FP8_NAME(name, x2)(__half2 v) \
            : __x(__hip_cvt_halfraw2_to_fp8x2(v, __HIP_SATFINITE, kind)) {} \
        __SR_HOST_DEVICE explicit __SR_FP8_NAME(name, x2)(__hip_bfloat162 v) \
            : __x(__hip_cvt_bfloat16raw2_to_fp8x2(v, __HIP_SATFINITE, kind)) {} \
        __SR_HOST_DEVICE operator float2() const { \
            return float2{__sr_fp8_to_float((__hip_fp8_storage_t)__x, kind), \
                          __sr_fp8_to_float((__hip_fp8_storage_t)(__x >> 8), kind)}; } \
        __SR_HOST_DEVICE explicit operator __half2() const { return __half2(__hip_cvt_fp8x2_to_halfraw2(__x, kind)); } \
    }; \
    struct __SR_FP8_NAME(name, x4) { \
        __hip_fp8x4_storage_t __x; \
        __SR_FP8_NAME(name, x4)() = default; \
        __SR_HOST_DEVICE explicit __SR_FP8_NAME(name, x4)(float4 v) \
            : __x((unsigned int)__hip_cvt_float2_to_fp8x2(float2{v.x, v.y}, __HIP_SATFINITE, kind) | \
                  (unsigned int)__hip_cvt_float2_to_fp8x2(float2{v.z, v.w}, __HIP_SATFINITE, kind) << 16) {} \
        __SR_HOST_DEVICE operator float4() const { \
            return float4{__sr_fp8_to_float((__hip_fp8_storage_t)__x, kind), \
                          __sr_fp8_to_float((__hip_fp8_storage_t)(__x >> 8), kind), \
                          __sr_fp8_to_float((__hip_fp8_storage_t)(__x >> 16), kind), \
                          __sr_fp8_to_float((__hip_fp8_storage_t)(__x >> 24), kind)}; } \
    };
/* The vectors get their public names, which put the count in the middle, below. */
#define __SR_FP8_NAME(name, count) name##_##count
SR_FP8(__hip_fp8_e4m3, __HIP_E4M3)
SR_FP8(__hip_fp8_e5m2, __HIP_E5M2)
SR_FP8(__hip_fp8_e4m3_fnuz, __HIP_E4M3_FNUZ)
SR_FP8(__hip_fp8_e5m2_fnuz, __HIP_E5M2_FNUZ)
#undef SR_FP8
#undef __SR_FP8_NAME
#undef SR_F
typedef __hip_fp8_e4m3_x2 __hip_fp8x2_e4m3;
typedef __hip_fp8_e4m3_x4 __hip_fp8x4_e4m3;
typedef __hip_fp8_e5m2_x2 __hip_fp8x2_e5m2;
typedef __hip_fp8_e5m2_x4 __hip_fp8x4_e5m2;
typedef __hip_fp8_e4m3_fnuz_x2 __hip_fp8x2_e4m3_fnuz;
typedef __hip_fp8_e4m3_fnuz_x4 __hip_fp8x4_e4m3_fnuz;
typedef __hip_fp8_e5m2_fnuz_x2 __hip_fp8x2_e5m2_fnuz;
typedef __hip_fp8_e5m2_fnuz_x4 __hip_fp8x4_e5m2_fnuz;

#endif
#endif
