/* Part of softrock (MIT licence, see LICENSE). float and double to and from 16-bit formats, in integer arithmetic: for hosts,
 * whose libraries may lack the conversions, and for the rounding modes hardware does not offer. */
#ifndef SOFTROCK_HIP_HALF_CONVERT_H
#define SOFTROCK_HIP_HALF_CONVERT_H

#include "hip/detail/macros.h"

/* Rounding: 0 nearest even, 1 down, 2 up, 3 to zero. */
__SR_HOST_DEVICE_INLINE bool __sr_round_away(int mode, bool negative, bool odd, unsigned long long rest,
                                             unsigned long long half) {
    if (mode == 0) return rest > half || (rest == half && odd);
    return rest != 0 && (mode == 1 ? negative : mode == 2 ? !negative : false);
}

/* The bits of a double (every float is one) in a format with `mantissa` fraction bits and exponents up to `bias`, IEEE style. */
template <int mantissa, int bias> __SR_HOST_DEVICE_INLINE unsigned short __sr_narrow(double value, int mode) {
    const unsigned long long bits = __builtin_bit_cast(unsigned long long, value);
    const bool negative = (bits >> 63) != 0;
    const unsigned short sign = (unsigned short)(negative ? 0x8000u : 0u);
    const unsigned short infinity = (unsigned short)((2 * bias + 1) << mantissa);
    const int exponent = (int)((bits >> 52) & 0x7ffu);
    const unsigned long long fraction = bits & 0xfffffffffffffull;
    if (exponent == 0x7ff) {
        if (fraction == 0) return (unsigned short)(sign | infinity);
        return (unsigned short)(sign | infinity | (1u << (mantissa - 1)) | (fraction >> (52 - mantissa)));
    }
    if (exponent == 0 && fraction == 0) return sign;
    /* 1.fraction * 2^scale; a double's own subnormals are far below every 16-bit format. */
    const int scale = exponent - 1023;
    const unsigned long long significand = exponent == 0 ? fraction : fraction | 0x10000000000000ull;
    int drop = 52 - mantissa;
    const bool subnormal = scale < 1 - bias;
    if (subnormal) drop += 1 - bias - scale;
    if (drop > 63) return (unsigned short)(sign | (__sr_round_away(mode, negative, false, 1, 2) ? 1u : 0u));
    const unsigned long long rest = significand & ((1ull << drop) - 1), half = 1ull << (drop - 1);
    unsigned long long kept = significand >> drop;
    kept += __sr_round_away(mode, negative, (kept & 1) != 0, rest, half);
    /* A carry out of the fraction raises the exponent by itself, from subnormal to normal too. */
    unsigned long long result = subnormal ? kept : ((unsigned long long)(scale + bias - 1) << mantissa) + kept;
    if (result >= infinity) {
        const bool to_infinity = mode == 0 || (mode == 1 && negative) || (mode == 2 && !negative);
        result = to_infinity ? infinity : infinity - 1u;
    }
    return (unsigned short)(sign | result);
}

/* An integer in such a format, rounded once: bits that a double has no room for are folded into its lowest one, which every
 * narrower rounding sees as "not exact" on the right side. */
template <int mantissa, int bias, typename I> __SR_HOST_DEVICE_INLINE unsigned short __sr_narrow_integer(I value, int mode) {
    const bool negative = value < 0;
    unsigned long long size = negative ? 0ull - (unsigned long long)value : (unsigned long long)value;
    if (size >> 53) size = (size & ~0xfffull) | ((size & 0xfffull) ? 0x800ull : 0ull);
    return __sr_narrow<mantissa, bias>(negative ? -(double)size : (double)size, mode);
}

__SR_HOST_DEVICE_INLINE float __sr_widen_half(unsigned short bits) {
    const unsigned int sign = (bits & 0x8000u) << 16, exponent = (bits >> 10) & 31u, fraction = bits & 0x3ffu;
    if (exponent == 31u) return __builtin_bit_cast(float, sign | 0x7f800000u | fraction << 13);
    if (exponent == 0) {
        const float value = (float)fraction * 5.9604644775390625e-8f; /* 2^-24, exact */
        return sign ? -value : value;
    }
    return __builtin_bit_cast(float, sign | (exponent + 112u) << 23 | fraction << 13);
}
/* a * b + c of halves, cut to a float whose last bit says whether anything was cut ("round to odd"): rounding that to half rounds
 * the exact result once. The product is exact in double; the sum's error is found by two-sum. */
__SR_HOST_DEVICE_INLINE float __sr_fma_of_halves(float a, float b, float c) {
    const double p = (double)a * (double)b, s = p + (double)c, t = s - p;
    const double error = (p - (s - t)) + ((double)c - t);
    unsigned long long bits = __builtin_bit_cast(unsigned long long, s);
    if (!(s - s == 0.0)) return (float)s;
    if (error != 0) bits = (bits - ((error > 0) != (s > 0))) | 1ull;
    const unsigned long long rest = (1ull << 29) - 1ull;
    if (bits & rest) bits = (bits & ~rest) | (1ull << 29);
    return (float)__builtin_bit_cast(double, bits);
}

__SR_HOST_DEVICE_INLINE float __sr_widen_bfloat(unsigned short bits) {
    return __builtin_bit_cast(float, (unsigned int)bits << 16);
}

#endif
