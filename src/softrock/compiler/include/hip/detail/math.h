/* Part of softrock (MIT licence, see LICENSE). The C mathematics functions for device code, float (sinf) and double (sin),
 * CUDA's additions included, and the overloads that C++ gives them. Bounds on errors are documented in docs/. */
#ifndef SOFTROCK_HIP_MATH_H
#define SOFTROCK_HIP_MATH_H

#include "hip/detail/ocml.h"

#if defined(__SR_GPU__)

/* ---- one-argument functions: name, name in the library ---- */
/* Standard in C++ (overloaded on float in <cmath>). */
#define __SR_STD_UNARY(X) \
    X(acos, acos) X(acosh, acosh) X(asin, asin) X(asinh, asinh) X(atan, atan) X(atanh, atanh) X(cbrt, cbrt) \
    X(cos, cos) X(cosh, cosh) X(erf, erf) X(erfc, erfc) X(exp, exp) X(exp2, exp2) X(expm1, expm1) \
    X(lgamma, lgamma) X(log, log) X(log10, log10) X(log1p, log1p) X(log2, log2) X(logb, logb) X(sin, sin) \
    X(sinh, sinh) X(tan, tan) X(tanh, tanh) X(tgamma, tgamma)
/* CUDA's own. */
#define __SR_CUDA_UNARY(X) \
    X(cospi, cospi) X(sinpi, sinpi) X(erfcinv, erfcinv) X(erfcx, erfcx) X(erfinv, erfinv) X(exp10, exp10) \
    X(cyl_bessel_i0, i0) X(cyl_bessel_i1, i1) X(j0, j0) X(j1, j1) X(y0, y0) X(y1, y1) X(normcdf, ncdf) \
    X(normcdfinv, ncdfinv) X(rcbrt, rcbrt) X(rsqrt, rsqrt)
#define __SR_DEF(name, ocml) \
    __SR_DEVICE float name##f(float x) { return __ocml_##ocml##_f32(x); } \
    __SR_DEVICE double name(double x) { return __ocml_##ocml##_f64(x); }
__SR_STD_UNARY(__SR_DEF)
__SR_CUDA_UNARY(__SR_DEF)
#undef __SR_DEF

/* What the instruction set or LLVM's expansion gives exactly. */
#define __SR_BUILTIN_UNARY(X) X(ceil) X(fabs) X(floor) X(nearbyint) X(rint) X(round) X(sqrt) X(trunc)
#define __SR_BUILTIN_BINARY(X) X(copysign) X(fmax) X(fmin)
#define __SR_DEF(name) \
    __SR_DEVICE float name##f(float x) { return __builtin_##name##f(x); } \
    __SR_DEVICE double name(double x) { return __builtin_##name(x); }
__SR_BUILTIN_UNARY(__SR_DEF)
#undef __SR_DEF
#define __SR_DEF(name) \
    __SR_DEVICE float name##f(float x, float y) { return __builtin_##name##f(x, y); } \
    __SR_DEVICE double name(double x, double y) { return __builtin_##name(x, y); }
__SR_BUILTIN_BINARY(__SR_DEF)
#undef __SR_DEF

#define __SR_STD_BINARY(X) X(atan2) X(fdim) X(fmod) X(hypot) X(nextafter) X(pow) X(remainder)
#define __SR_DEF(name) \
    __SR_DEVICE float name##f(float x, float y) { return __ocml_##name##_f32(x, y); } \
    __SR_DEVICE double name(double x, double y) { return __ocml_##name##_f64(x, y); }
__SR_STD_BINARY(__SR_DEF)
__SR_DEF(rhypot)
#undef __SR_DEF

/* J_n for n >= 0. Downwards the recurrence starts well above n from an arbitrary small value and is normalised by
 * J_0 + 2 J_2 + 2 J_4 + ... = 1 (Miller's method; Abramowitz and Stegun, 9.12). */
#define __SR_DEF_JN(T, F, big) \
    __SR_DEVICE T __sr_jn##F(int n, T x) { \
        if (n == 0) return j0##F(x); \
        if (n == 1) return j1##F(x); \
        const T ax = __builtin_fabs##F(x); \
        if (ax == 0 || __builtin_isinf(ax)) return 0; \
        if (__builtin_isnan(x)) return x; \
        T result; \
        if ((T)n < ax) { \
            T a = j0##F(ax), b = j1##F(ax); \
            for (int i = 1; i < n; ++i) { \
                const T c = (2 * i / ax) * b - a; \
                a = b, b = c; \
            } \
            result = b; \
        } else { \
            int start = 2 * ((n + (int)__builtin_sqrt##F((T)(40 * n)) + 16) / 2); \
            T above = 0, here = 1, sum = 0; \
            result = 0; \
            for (int i = start; i > 0; --i) { \
                const T below = (2 * i / ax) * here - above; \
                above = here, here = below; \
                if (__builtin_fabs##F(here) > big) here /= big, above /= big, result /= big, sum /= big; \
                if (i - 1 == n) result = here; \
                if (((i - 1) & 1) == 0 && i > 1) sum += 2 * here; \
            } \
            sum += here; \
            result /= sum; \
        } \
        return x < 0 && (n & 1) ? -result : result; }
__SR_DEF_JN(float, f, 1e10f)
__SR_DEF_JN(double, , 1e100)
#undef __SR_DEF_JN

/* ---- the rest, in float and double; F is the suffix of the C name, s the library's ---- */
#define __SR_DEF(T, F, s) \
    __SR_DEVICE T fma##F(T x, T y, T z) { return __builtin_fma##F(x, y, z); } \
    __SR_DEVICE T fdivide##F(T x, T y) { return x / y; } \
    __SR_DEVICE T ldexp##F(T x, int n) { return __builtin_ldexp##F(x, n); } \
    __SR_DEVICE T scalbn##F(T x, int n) { return __builtin_ldexp##F(x, n); } \
    __SR_DEVICE T scalbln##F(T x, long n) { \
        return __builtin_ldexp##F(x, n > 0x7fff ? 0x7fff : n < -0x7fff ? -0x7fff : (int)n); } \
    __SR_DEVICE T frexp##F(T x, int *n) { return __builtin_frexp##F(x, n); } \
    __SR_DEVICE int ilogb##F(T x) { return __ocml_ilogb_##s(x); } \
    __SR_DEVICE long lrint##F(T x) { return (long)__builtin_rint##F(x); } \
    __SR_DEVICE long long llrint##F(T x) { return (long long)__builtin_rint##F(x); } \
    __SR_DEVICE long lround##F(T x) { return (long)__builtin_round##F(x); } \
    __SR_DEVICE long long llround##F(T x) { return (long long)__builtin_round##F(x); } \
    __SR_DEVICE T modf##F(T x, T *whole) { \
        T w; \
        const T r = __ocml_modf_##s(x, (__SR_PRIVATE T *)&w); \
        return *whole = w, r; } \
    __SR_DEVICE T remquo##F(T x, T y, int *quotient) { \
        int q; \
        const T r = __ocml_remquo_##s(x, y, (__SR_PRIVATE int *)&q); \
        return *quotient = q, r; } \
    __SR_DEVICE void sincos##F(T x, T *sine, T *cosine) { \
        T c; \
        *sine = __ocml_sincos_##s(x, (__SR_PRIVATE T *)&c); \
        *cosine = c; } \
    __SR_DEVICE void sincospi##F(T x, T *sine, T *cosine) { \
        T c; \
        *sine = __ocml_sincospi_##s(x, (__SR_PRIVATE T *)&c); \
        *cosine = c; } \
    __SR_DEVICE T norm3d##F(T x, T y, T z) { return __ocml_len3_##s(x, y, z); } \
    __SR_DEVICE T norm4d##F(T x, T y, T z, T w) { return __ocml_len4_##s(x, y, z, w); } \
    __SR_DEVICE T rnorm3d##F(T x, T y, T z) { return __ocml_rlen3_##s(x, y, z); } \
    __SR_DEVICE T rnorm4d##F(T x, T y, T z, T w) { return __ocml_rlen4_##s(x, y, z, w); } \
    __SR_DEVICE T norm##F(int dim, const T *a) { \
        T largest = 0; \
        for (int i = 0; i < dim; ++i) largest = fmax##F(largest, fabs##F(a[i])); \
        if (largest == 0 || __builtin_isinf(largest)) return largest; \
        T sum = 0; \
        for (int i = 0; i < dim; ++i) sum = fma##F(a[i] / largest, a[i] / largest, sum); \
        return largest * sqrt##F(sum); } \
    __SR_DEVICE T rnorm##F(int dim, const T *a) { return 1 / norm##F(dim, a); } \
    __SR_DEVICE T jn##F(int n, T x) { \
        if (n < 0) return (n & 1) ? -__sr_jn##F(-n, x) : __sr_jn##F(-n, x); \
        return __sr_jn##F(n, x); } \
    __SR_DEVICE T yn##F(int n, T x) { \
        const bool flip = n < 0 && (n & 1); \
        if (n < 0) n = -n; \
        if (n == 0) return y0##F(x); \
        T a = y0##F(x), b = y1##F(x); \
        for (int i = 1; i < n && !__builtin_isinf(b); ++i) { \
            const T c = (2 * i / x) * b - a; \
            a = b, b = c; \
        } \
        return flip ? -b : b; }
__SR_DEF(float, f, f32)
__SR_DEF(double, , f64)
#undef __SR_DEF

__SR_DEVICE float nanf(const char *tag) { (void)tag; return __builtin_nanf(""); }
__SR_DEVICE double nan(const char *tag) { (void)tag; return __builtin_nan(""); }
__SR_DEVICE float nexttowardf(float x, double y) {
    if (__builtin_isnan(x) || __builtin_isnan(y)) return x + (float)y;
    if ((double)x == y) return (float)y;
    return nextafterf(x, y > (double)x ? __builtin_inff() : -__builtin_inff());
}
__SR_DEVICE double nexttoward(double x, double y) { return nextafter(x, y); }
#if !defined(__SOFTROCK_CUDA__)
__SR_DEVICE float powif(float x, int n) { return __ocml_pown_f32(x, n); }
__SR_DEVICE double powi(double x, int n) { return __ocml_pown_f64(x, n); }
#endif
__SR_DEVICE float max(float x, float y) { return __builtin_fmaxf(x, y); }
__SR_DEVICE float min(float x, float y) { return __builtin_fminf(x, y); }
__SR_DEVICE double max(double x, double y) { return __builtin_fmax(x, y); }
__SR_DEVICE double min(double x, double y) { return __builtin_fmin(x, y); }
__SR_DEVICE double max(float x, double y) { return __builtin_fmax(x, y); }
__SR_DEVICE double min(float x, double y) { return __builtin_fmin(x, y); }
__SR_DEVICE double max(double x, float y) { return __builtin_fmax(x, y); }
__SR_DEVICE double min(double x, float y) { return __builtin_fmin(x, y); }
#if !defined(__SOFTROCK_CUDA__) && !defined(__HIPCC_RTC__)
/* As clang's HIP headers have it: on the host for equal types only. CUDA's list is in softrock/cuda/host_math.h. */
static inline __attribute__((host)) float max(float x, float y) { return __builtin_fmaxf(x, y); }
static inline __attribute__((host)) float min(float x, float y) { return __builtin_fminf(x, y); }
static inline __attribute__((host)) double max(double x, double y) { return __builtin_fmax(x, y); }
static inline __attribute__((host)) double min(double x, double y) { return __builtin_fmin(x, y); }
#endif

#endif
#endif
