/* Part of softrock (MIT licence, see LICENSE). CUDA's own mathematics functions for host code, which the C library lacks. */
#ifndef SOFTROCK_CUDA_DETAIL_HOST_MATH_H
#define SOFTROCK_CUDA_DETAIL_HOST_MATH_H

#if defined(__cplusplus) && !defined(__HIPCC_RTC__)
#include <cmath>

#define __SR_HOST static inline __attribute__((host))
/* Newer C libraries declare some of these: an inline C function may follow that declaration, a static one may not. */
#define __SR_HOST_C extern "C" inline __attribute__((host))
#define __SR_PAIR(name, parameters, arguments, expression) \
    __SR_HOST_C double name parameters(double) noexcept { return expression; } \
    __SR_HOST_C float name##f parameters(float) noexcept { return (float)(expression); } \
    __SR_HOST float name parameters(float) { return name##f arguments; }
#define __SR_X(T) (T x)
#define __SR_XY(T) (T x, T y)
#define __SR_XYZ(T) (T x, T y, T z)
#define __SR_XYZW(T) (T x, T y, T z, T w)

/* Through double, so that the float forms are as good as float gets. */
__SR_PAIR(rsqrt, __SR_X, (x), 1.0 / std::sqrt((double)x))
__SR_PAIR(rcbrt, __SR_X, (x), 1.0 / std::cbrt((double)x))
/* The argument is reduced before it is multiplied by pi: x - 2*round(x/2) is exact. */
__SR_PAIR(sinpi, __SR_X, (x), std::sin(3.14159265358979323846 * (x - 2.0 * std::round(x / 2.0))))
__SR_PAIR(cospi, __SR_X, (x), std::cos(3.14159265358979323846 * (x - 2.0 * std::round(x / 2.0))))
__SR_PAIR(normcdf, __SR_X, (x), 0.5 * std::erfc(-(double)x / 1.41421356237309504880))
__SR_PAIR(rhypot, __SR_XY, (x, y), 1.0 / std::hypot((double)x, (double)y))
__SR_PAIR(norm3d, __SR_XYZ, (x, y, z), std::hypot(std::hypot((double)x, (double)y), (double)z))
__SR_PAIR(rnorm3d, __SR_XYZ, (x, y, z), 1.0 / std::hypot(std::hypot((double)x, (double)y), (double)z))
__SR_PAIR(norm4d, __SR_XYZW, (x, y, z, w),
          std::hypot(std::hypot((double)x, (double)y), std::hypot((double)z, (double)w)))
__SR_PAIR(rnorm4d, __SR_XYZW, (x, y, z, w),
          1.0 / std::hypot(std::hypot((double)x, (double)y), std::hypot((double)z, (double)w)))
__SR_HOST float fdividef(float x, float y) { return x / y; }
__SR_HOST void sincospi(double x, double *s, double *c) { *s = sinpi(x), *c = cospi(x); }
__SR_HOST void sincospif(float x, float *s, float *c) { *s = sinpif(x), *c = cospif(x); }
__SR_HOST float max(float x, float y) { return std::fmax(x, y); }
__SR_HOST float min(float x, float y) { return std::fmin(x, y); }
__SR_HOST double max(double x, double y) { return std::fmax(x, y); }
__SR_HOST double min(double x, double y) { return std::fmin(x, y); }
__SR_HOST double max(float x, double y) { return std::fmax((double)x, y); }
__SR_HOST double min(float x, double y) { return std::fmin((double)x, y); }
__SR_HOST double max(double x, float y) { return std::fmax(x, (double)y); }
__SR_HOST double min(double x, float y) { return std::fmin(x, (double)y); }

/* Bit casts work on either side. */
__SR_HOST int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
__SR_HOST unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
__SR_HOST float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
__SR_HOST float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
__SR_HOST long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
__SR_HOST double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }

#undef __SR_XYZW
#undef __SR_XYZ
#undef __SR_XY
#undef __SR_X
#undef __SR_PAIR
#undef __SR_HOST
#undef __SR_HOST_C
#endif
#endif
