/* Part of softrock (MIT licence, see LICENSE). The C++ overloads of the mathematics functions for device code, in the global
 * namespace and in std.
 *
 * They have to be seen before <cmath>: the C++ library's versions are often constexpr, which makes them host-and-device
 * functions that end in builtins the GPU has no code for; clang leaves them host-only when a device function of the same
 * signature already stands in a system header. The driver therefore includes hip/detail/prelude.h first of all. */
#ifndef SOFTROCK_HIP_MATH_OVERLOADS_H
#define SOFTROCK_HIP_MATH_OVERLOADS_H

#include "hip/detail/math.h"

#if defined(__SR_GPU__)

template <bool condition, typename T = void> struct __sr_when {};
template <typename T> struct __sr_when<true, T> { typedef T type; };
#define __SR_WHEN_INTEGRAL(T, R) typename __sr_when<__is_integral(T), R>::type
#define __SR_MIXED(A, B) (__is_arithmetic(A) && __is_arithmetic(B) && !(__is_same(A, B) && __is_floating_point(A)))

/* ---- one argument ---- */
#define __SR_OVERLOAD(name, ...) \
    __SR_DEVICE float name(float x) { return name##f(x); } \
    template <typename T> __SR_DEVICE __SR_WHEN_INTEGRAL(T, double) name(T x) { return name((double)x); }
__SR_STD_UNARY(__SR_OVERLOAD)
__SR_CUDA_UNARY(__SR_OVERLOAD)
__SR_BUILTIN_UNARY(__SR_OVERLOAD)
#undef __SR_OVERLOAD

#define __SR_OVERLOAD(name, R) \
    __SR_DEVICE R name(float x) { return name##f(x); } \
    template <typename T> __SR_DEVICE __SR_WHEN_INTEGRAL(T, R) name(T x) { return name((double)x); }
__SR_OVERLOAD(ilogb, int)
__SR_OVERLOAD(lrint, long)
__SR_OVERLOAD(llrint, long long)
__SR_OVERLOAD(lround, long)
__SR_OVERLOAD(llround, long long)
#undef __SR_OVERLOAD

/* ---- two and three arguments; arguments of unlike types become double ---- */
#define __SR_OVERLOAD(name) \
    __SR_DEVICE float name(float x, float y) { return name##f(x, y); } \
    template <typename A, typename B> __SR_DEVICE typename __sr_when<__SR_MIXED(A, B), double>::type name(A x, B y) { \
        return name((double)x, (double)y); }
__SR_STD_BINARY(__SR_OVERLOAD)
__SR_BUILTIN_BINARY(__SR_OVERLOAD)
__SR_OVERLOAD(rhypot)
#undef __SR_OVERLOAD
__SR_DEVICE float pow(float x, int n) { return __ocml_pown_f32(x, n); }
__SR_DEVICE double pow(double x, int n) { return __ocml_pown_f64(x, n); }

__SR_DEVICE float fma(float x, float y, float z) { return fmaf(x, y, z); }
template <typename A, typename B, typename C>
__SR_DEVICE typename __sr_when<__SR_MIXED(A, B) || __SR_MIXED(B, C), double>::type fma(A x, B y, C z) {
    return fma((double)x, (double)y, (double)z);
}
__SR_DEVICE float hypot(float x, float y, float z) { return norm3df(x, y, z); }
__SR_DEVICE double hypot(double x, double y, double z) { return norm3d(x, y, z); }

__SR_DEVICE float frexp(float x, int *n) { return frexpf(x, n); }
__SR_DEVICE float ldexp(float x, int n) { return ldexpf(x, n); }
__SR_DEVICE float scalbn(float x, int n) { return scalbnf(x, n); }
__SR_DEVICE float scalbln(float x, long n) { return scalblnf(x, n); }
__SR_DEVICE float modf(float x, float *whole) { return modff(x, whole); }
__SR_DEVICE float remquo(float x, float y, int *quotient) { return remquof(x, y, quotient); }
__SR_DEVICE float nexttoward(float x, double y) { return nexttowardf(x, y); }
__SR_DEVICE void sincos(float x, float *s, float *c) { sincosf(x, s, c); }
__SR_DEVICE void sincospi(float x, float *s, float *c) { sincospif(x, s, c); }

/* ---- classification and comparison ---- */
#define __SR_OVERLOAD(name, builtin) \
    __SR_DEVICE bool name(float x) { return builtin(x); } \
    __SR_DEVICE bool name(double x) { return builtin(x); } \
    template <typename T> __SR_DEVICE __SR_WHEN_INTEGRAL(T, bool) name(T x) { return builtin((double)x); }
__SR_OVERLOAD(isfinite, __builtin_isfinite)
__SR_OVERLOAD(isinf, __builtin_isinf)
__SR_OVERLOAD(isnan, __builtin_isnan)
__SR_OVERLOAD(isnormal, __builtin_isnormal)
__SR_OVERLOAD(signbit, __builtin_signbit)
#undef __SR_OVERLOAD
#define __SR_OVERLOAD(name) \
    __SR_DEVICE bool name(float x, float y) { return __builtin_##name(x, y); } \
    __SR_DEVICE bool name(double x, double y) { return __builtin_##name(x, y); } \
    template <typename A, typename B> __SR_DEVICE typename __sr_when<__SR_MIXED(A, B), bool>::type name(A x, B y) { \
        return __builtin_##name((double)x, (double)y); }
#define __SR_COMPARISONS(X) X(isgreater) X(isgreaterequal) X(isless) X(islessequal) X(islessgreater) X(isunordered)
__SR_COMPARISONS(__SR_OVERLOAD)
#undef __SR_OVERLOAD
/* The values of FP_NAN ... FP_NORMAL in glibc. */
__SR_DEVICE int fpclassify(float x) { return __builtin_fpclassify(0, 1, 4, 3, 2, x); }
__SR_DEVICE int fpclassify(double x) { return __builtin_fpclassify(0, 1, 4, 3, 2, x); }
__SR_DEVICE int __finitef(float x) { return __builtin_isfinite(x); }
__SR_DEVICE int __isinff(float x) { return __builtin_isinf(x); }
__SR_DEVICE int __isnanf(float x) { return __builtin_isnan(x); }
__SR_DEVICE int __signbitf(float x) { return __builtin_signbit(x); }
__SR_DEVICE int __finite(double x) { return __builtin_isfinite(x); }
__SR_DEVICE int __isinf(double x) { return __builtin_isinf(x); }
__SR_DEVICE int __isnan(double x) { return __builtin_isnan(x); }
__SR_DEVICE int __signbitd(double x) { return __builtin_signbit(x); }

/* ---- absolute values ---- */
__SR_DEVICE int abs(int x) { return x < 0 ? -x : x; }
__SR_DEVICE long abs(long x) { return x < 0 ? -x : x; }
__SR_DEVICE long long abs(long long x) { return x < 0 ? -x : x; }
__SR_DEVICE float abs(float x) { return __builtin_fabsf(x); }
__SR_DEVICE double abs(double x) { return __builtin_fabs(x); }
__SR_DEVICE long labs(long x) { return x < 0 ? -x : x; }
__SR_DEVICE long long llabs(long long x) { return x < 0 ? -x : x; }

/* ---- half precision under the standard names ---- */
#define __SR_OVERLOAD(name) \
    __SR_DEVICE _Float16 name(_Float16 x) { return __ocml_##name##_f16(x); }
__SR_OCML_HALF(__SR_OVERLOAD)
#undef __SR_OVERLOAD
#define __SR_OVERLOAD(name) \
    __SR_DEVICE _Float16 name(_Float16 x) { return __builtin_elementwise_##name(x); }
__SR_OVERLOAD(ceil)
__SR_OVERLOAD(floor)
__SR_OVERLOAD(rint)
__SR_OVERLOAD(sqrt)
__SR_OVERLOAD(trunc)
#undef __SR_OVERLOAD
__SR_DEVICE _Float16 fabs(_Float16 x) { return __builtin_elementwise_abs(x); }
__SR_DEVICE _Float16 abs(_Float16 x) { return __builtin_elementwise_abs(x); }
__SR_DEVICE _Float16 fma(_Float16 x, _Float16 y, _Float16 z) { return __builtin_elementwise_fma(x, y, z); }
__SR_DEVICE _Float16 fmax(_Float16 x, _Float16 y) { return __builtin_fmaxf16(x, y); }
__SR_DEVICE _Float16 fmin(_Float16 x, _Float16 y) { return __builtin_fminf16(x, y); }
__SR_DEVICE bool isnan(_Float16 x) { return __builtin_isnan(x); }
__SR_DEVICE bool isinf(_Float16 x) { return __builtin_isinf(x); }
__SR_DEVICE bool isfinite(_Float16 x) { return __builtin_isfinite(x); }

/* ---- the same in std ---- */
#if !defined(__HIPCC_RTC__)
/* The library's own namespace macro where it has one, so that its inline namespace is the one that is opened. */
namespace std {
#define __SR_USING(name, ...) using ::name;
__SR_STD_UNARY(__SR_USING)
__SR_BUILTIN_UNARY(__SR_USING)
__SR_STD_BINARY(__SR_USING)
__SR_BUILTIN_BINARY(__SR_USING)
__SR_COMPARISONS(__SR_USING)
#undef __SR_USING
using ::abs;
using ::fma;
using ::fpclassify;
using ::frexp;
using ::ilogb;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::isnormal;
using ::labs;
using ::ldexp;
using ::llabs;
using ::llrint;
using ::llround;
using ::lrint;
using ::lround;
using ::modf;
using ::nexttoward;
using ::remquo;
using ::scalbln;
using ::scalbn;
using ::signbit;
#define __SR_USING(name, ...) using ::name##f;
__SR_STD_UNARY(__SR_USING)
__SR_BUILTIN_UNARY(__SR_USING)
__SR_STD_BINARY(__SR_USING)
__SR_BUILTIN_BINARY(__SR_USING)
#undef __SR_USING
using ::fmaf;
using ::frexpf;
using ::ldexpf;
using ::modff;
using ::remquof;
using ::scalbnf;
} // namespace std
#endif

#endif
#endif
