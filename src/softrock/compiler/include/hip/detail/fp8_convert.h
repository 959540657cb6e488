/* Part of softrock (MIT licence, see LICENSE). The four 8-bit floating-point formats and their conversions, in integers.
 *
 * OCP (gfx950, gfx12, CUDA):  e4m3 bias 7, largest 448, NaN 0x7f, no infinity;  e5m2 bias 15, IEEE-like, largest 57344.
 * FNUZ (gfx942):              e4m3 bias 8, largest 240;  e5m2 bias 16, largest 57344;  one NaN, 0x80; no -0, no infinity.
 * Sources: the OCP 8-bit Floating Point Specification (OFP8) 1.0; AMD's CDNA3 ISA guide. */
#ifndef SOFTROCK_HIP_FP8_CONVERT_H
#define SOFTROCK_HIP_FP8_CONVERT_H

#include "hip/detail/half_convert.h"

typedef unsigned char __hip_fp8_storage_t;
typedef unsigned short __hip_fp8x2_storage_t;
typedef unsigned int __hip_fp8x4_storage_t;
enum __hip_saturation_t { __HIP_NOSAT = 0, __HIP_SATFINITE = 1 };
enum __hip_fp8_interpretation_t { __HIP_E4M3 = 0, __HIP_E5M2 = 1, __HIP_E4M3_FNUZ = 2, __HIP_E5M2_FNUZ = 3 };

struct __sr_fp8_format {
    int mantissa, bias;
    unsigned char largest, nan, overflow; /* overflow: what is past the largest value without saturation */
    bool unsigned_zero;
};
__SR_HOST_DEVICE_INLINE constexpr __sr_fp8_format __sr_fp8(__hip_fp8_interpretation_t kind) {
    return kind == __HIP_E4M3        ? __sr_fp8_format{3, 7, 0x7e, 0x7f, 0x7f, false}
           : kind == __HIP_E5M2      ? __sr_fp8_format{2, 15, 0x7b, 0x7f, 0x7c, false}
           : kind == __HIP_E4M3_FNUZ ? __sr_fp8_format{3, 8, 0x7f, 0x80, 0x80, true}
                                     : __sr_fp8_format{2, 16, 0x7f, 0x80, 0x80, true};
}

/* Nearest even. A value past the largest saturates, or becomes infinity (e5m2) or NaN. */
__SR_HOST_DEVICE_INLINE __hip_fp8_storage_t __hip_cvt_double_to_fp8(double value, __hip_saturation_t saturate,
                                                                    __hip_fp8_interpretation_t kind) {
    const __sr_fp8_format f = __sr_fp8(kind);
    const unsigned long long bits = __builtin_bit_cast(unsigned long long, value);
    const unsigned char sign = (unsigned char)((bits >> 63) << 7);
    const int exponent = (int)((bits >> 52) & 0x7ffu);
    const unsigned long long fraction = bits & 0xfffffffffffffull;
    if (exponent == 0x7ff && fraction != 0) return f.unsigned_zero ? f.nan : (unsigned char)(sign | f.nan);
    unsigned long long result = 0;
    if (exponent == 0x7ff) {
        result = 0x100;
    } else if (exponent != 0) {
        const int scale = exponent - 1023;
        const bool subnormal = scale < 1 - f.bias;
        const int drop = 52 - f.mantissa + (subnormal ? 1 - f.bias - scale : 0);
        if (drop < 60) {
            const unsigned long long significand = fraction | 0x10000000000000ull;
            const unsigned long long rest = significand & ((1ull << drop) - 1), half = 1ull << (drop - 1);
            unsigned long long kept = significand >> drop;
            kept += rest > half || (rest == half && (kept & 1));
            result = subnormal ? kept : ((unsigned long long)(scale + f.bias - 1) << f.mantissa) + kept;
        }
    }
    if (result > f.largest) {
        if (saturate == __HIP_NOSAT)
            return f.unsigned_zero ? f.overflow : (unsigned char)(sign | f.overflow);
        result = f.largest;
    }
    if (result == 0 && f.unsigned_zero) return 0;
    return (unsigned char)(sign | result);
}
__SR_HOST_DEVICE_INLINE __hip_fp8_storage_t __hip_cvt_float_to_fp8(float value, __hip_saturation_t saturate,
                                                                   __hip_fp8_interpretation_t kind) {
    return __hip_cvt_double_to_fp8((double)value, saturate, kind);
}

/* Every value of every format is a float exactly. */
__SR_HOST_DEVICE_INLINE float __sr_fp8_to_float(__hip_fp8_storage_t x, __hip_fp8_interpretation_t kind) {
    const __sr_fp8_format f = __sr_fp8(kind);
    if (f.unsigned_zero ? x == f.nan : (x & 0x7f) > (kind == __HIP_E5M2 ? 0x7c : 0x7e)) return __builtin_nanf("");
    const float sign = (x & 0x80) ? -1.0f : 1.0f;
    if (kind == __HIP_E5M2 && (x & 0x7f) == 0x7c) return sign * __builtin_inff();
    const int exponent = (x & 0x7f) >> f.mantissa, fraction = x & ((1 << f.mantissa) - 1);
    const int significand = exponent ? fraction | (1 << f.mantissa) : fraction;
    const int scale = (exponent ? exponent : 1) - f.bias - f.mantissa;
    return sign * (float)significand * __builtin_bit_cast(float, (unsigned int)(scale + 127) << 23);
}

#endif
