/* Part of softrock (MIT licence, see LICENSE). What clang calls to multiply and divide complex numbers (C's Annex G: infinities
 * come out as infinities though a part of the plain formula is NaN). */
#ifndef SOFTROCK_HIP_COMPLEX_BUILTINS_H
#define SOFTROCK_HIP_COMPLEX_BUILTINS_H

#include "hip/detail/math.h"

#if defined(__SR_GPU__)

#define __SR_COMPLEX(T, F, multiply, divide) \
    __SR_DEVICE T __sr_box##F(T v) { return __builtin_copysign##F(__builtin_isinf(v) ? (T)1 : (T)0, v); } \
    __SR_DEVICE T __sr_no_nan##F(T v) { return __builtin_isnan(v) ? __builtin_copysign##F((T)0, v) : v; } \
    extern "C" inline __attribute__((device)) T _Complex multiply(T a, T b, T c, T d) { \
        const T ac = a * c, bd = b * d, ad = a * d, bc = b * c; \
        T re = ac - bd, im = ad + bc; \
        if (__builtin_isnan(re) && __builtin_isnan(im)) { \
            bool again = false; \
            if (__builtin_isinf(a) || __builtin_isinf(b)) { \
                a = __sr_box##F(a), b = __sr_box##F(b), c = __sr_no_nan##F(c), d = __sr_no_nan##F(d); \
                again = true; \
            } \
            if (__builtin_isinf(c) || __builtin_isinf(d)) { \
                c = __sr_box##F(c), d = __sr_box##F(d), a = __sr_no_nan##F(a), b = __sr_no_nan##F(b); \
                again = true; \
            } \
            if (!again && (__builtin_isinf(ac) || __builtin_isinf(bd) || __builtin_isinf(ad) || __builtin_isinf(bc))) { \
                a = __sr_no_nan##F(a), b = __sr_no_nan##F(b), c = __sr_no_nan##F(c), d = __sr_no_nan##F(d); \
                again = true; \
            } \
            if (again) { \
                const T infinity = (T)__builtin_inf(); \
                re = infinity * (a * c - b * d), im = infinity * (a * d + b * c); \
            } \
        } \
        T _Complex z; \
        __real__ z = re; \
        __imag__ z = im; \
        return z; } \
    extern "C" inline __attribute__((device)) T _Complex divide(T a, T b, T c, T d) { \
        const T larger = __builtin_fmax##F(__builtin_fabs##F(c), __builtin_fabs##F(d)); \
        int scale = 0; \
        if (larger != 0 && __builtin_isfinite(larger)) { \
            int e; \
            (void)__builtin_frexp##F(larger, &e); \
            scale = e - 1; \
            c = __builtin_ldexp##F(c, -scale), d = __builtin_ldexp##F(d, -scale); \
        } \
        const T size = c * c + d * d; \
        T re = __builtin_ldexp##F((a * c + b * d) / size, -scale); \
        T im = __builtin_ldexp##F((b * c - a * d) / size, -scale); \
        if (__builtin_isnan(re) && __builtin_isnan(im)) { \
            const T infinity = (T)__builtin_inf(); \
            if (size == 0 && (!__builtin_isnan(a) || !__builtin_isnan(b))) { \
                re = __builtin_copysign##F(infinity, c) * a, im = __builtin_copysign##F(infinity, c) * b; \
            } else if ((__builtin_isinf(a) || __builtin_isinf(b)) && __builtin_isfinite(c) && __builtin_isfinite(d)) { \
                a = __sr_box##F(a), b = __sr_box##F(b); \
                re = infinity * (a * c + b * d), im = infinity * (b * c - a * d); \
            } else if (__builtin_isinf(larger) && __builtin_isfinite(a) && __builtin_isfinite(b)) { \
                c = __sr_box##F(c), d = __sr_box##F(d); \
                re = 0 * (a * c + b * d), im = 0 * (b * c - a * d); \
            } \
        } \
        T _Complex z; \
        __real__ z = re; \
        __imag__ z = im; \
        return z; }
__SR_COMPLEX(float, f, __mulsc3, __divsc3)
__SR_COMPLEX(double, , __muldc3, __divdc3)
#undef __SR_COMPLEX

#endif
#endif
