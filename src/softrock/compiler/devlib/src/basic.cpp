// Rounding, classification, scaling, extrema and the other functions that are exact.
#include "base.h"

template <class T> INLINE T fdim_t(T x, T y) { return is_nan(x) || is_nan(y) ? nan<T>() : x > y ? x - y : T(0); }
template <class T> INLINE T logb_t(T x) {
  T r = (T)(split(x).e - 1);
  r = x == T(0) ? -inf<T>() : r;
  return is_nan(x) ? x : is_inf(x) ? inf<T>() : r;
}
template <class T> INLINE int ilogb_t(T x) {
  int r = split(x).e - 1;
  r = is_inf(x) ? 0x7fffffff : r;
  return x == T(0) || is_nan(x) ? (int)0x80000000 : r;
}
template <class T> INLINE T nextafter_t(T x, T y) {
  typedef typename fp<T>::bits B;
  B b = as_bits(x);
  bool grow = (y > x) == (x > T(0));
  T step = from_bits<T>((B)(grow ? b + 1 : b - 1));
  step = x == T(0) ? copysign_(from_bits<T>(B(1)), y) : step;
  step = x == y ? y : step;
  return is_nan(x) || is_nan(y) ? nan<T>() : step;
}
// Largest number below 1, so that fract never rounds up to 1 (as OpenCL asks).
template <class T> INLINE T below_one() { return from_bits<T>((typename fp<T>::bits)(as_bits(T(1)) - 1)); }
template <class T> INLINE T fract_t(T x, T whole) {
  T f = x - whole;
  f = f < below_one<T>() ? f : below_one<T>();
  return is_nan(x) ? x : is_inf(x) ? T(0) : f;
}
template <class T> INLINE T ldexp_wide(T x, int e) { return ldexp_(x, e); }
INLINE half ldexp_wide(half x, int e) {
  // Far outside the range the answer is settled; inside, float holds x 2^e exactly or below half a denormal.
  int c = e < -60 ? -60 : e > 60 ? 60 : e;
  return (half)ldexp_((float)x, c);
}
template <class T> INLINE T scalb_t(T x, T y) {
  T c = y > T(30000) ? T(30000) : y < T(-30000) ? T(-30000) : y;
  T r = ldexp_wide(x, is_nan(y) ? 0 : (int)c);
  bool bad = is_nan(x) || is_nan(y) || (is_finite(y) && trunc_(y) != y);
  bad |= (x == T(0) && y == inf<T>()) || (is_inf(x) && y == -inf<T>());
  return bad ? nan<T>() : r;
}
template <class T> INLINE T modf_t(T x, T whole) { return copysign_(is_inf(x) ? T(0) : x - whole, x); }

template <class T> INLINE T fmin_any(T x, T y) {
  T r = x < y || (x == y && is_negative(x)) ? x : y;
  return is_nan(x) ? y : is_nan(y) ? x : r;
}
template <class T> INLINE T fmax_any(T x, T y) {
  T r = x > y || (x == y && !is_negative(x)) ? x : y;
  return is_nan(x) ? y : is_nan(y) ? x : r;
}
INLINE float fmin_fast(float x, float y) { return __builtin_fminf(x, y); }
INLINE double fmin_fast(double x, double y) { return __builtin_fmin(x, y); }
INLINE half fmin_fast(half x, half y) { return fmin_any(x, y); }
INLINE float fmax_fast(float x, float y) { return __builtin_fmaxf(x, y); }
INLINE double fmax_fast(double x, double y) { return __builtin_fmax(x, y); }
INLINE half fmax_fast(half x, half y) { return fmax_any(x, y); }
INLINE float mad_t(float a, float b, float c) { return fma_(a, b, c); }
INLINE double mad_t(double a, double b, double c) { return fma_(a, b, c); }
// The float sum of an exact product may round twice; the device has the instruction.
INLINE half mad_t(half a, half b, half c) { return __builtin_fmaf16(a, b, c); }
template <class T> INLINE parts<T> frexp_t(T x) {
  parts<T> p = split(x);
  bool usual = x != T(0) && is_finite(x);
  return {usual ? p.m : x, usual ? p.e : 0};
}
INLINE parts<half> frexp_t(half x) {
  parts<float> p = frexp_t((float)x);
  return {(half)p.m, p.e};
}
INLINE half logb_t(half x) { return (half)logb_t((float)x); }
INLINE int ilogb_t(half x) { return ilogb_t((float)x); }

// FP_NAN 0, FP_INFINITE 1, FP_ZERO 2, FP_SUBNORMAL 3, FP_NORMAL 4.
template <class T> INLINE int fpclassify_t(T x) {
  if (!is_finite(x)) return is_nan(x) ? 0 : 1;
  return x == T(0) ? 2 : (as_bits(x) & lim<T>::expo) == 0 ? 3 : 4;
}

#define EXPORT_BASIC(S, T, UB)                                                                      \
  PURE T __ocml_fabs_##S(T x) { return abs_(x); }                                                   \
  PURE T __ocml_floor_##S(T x) { return floor_(x); }                                                \
  PURE T __ocml_ceil_##S(T x) { return ceil_(x); }                                                  \
  PURE T __ocml_trunc_##S(T x) { return trunc_(x); }                                                \
  PURE T __ocml_round_##S(T x) { return round_(x); }                                                \
  PURE T __ocml_rint_##S(T x) { return rint_(x); }                                                  \
  PURE T __ocml_nearbyint_##S(T x) { return rint_(x); }                                             \
  PURE T __ocml_copysign_##S(T x, T y) { return copysign_(x, y); }                                  \
  PURE T __ocml_fmin_##S(T x, T y) { return fmin_fast(x, y); }                                      \
  PURE T __ocml_fmax_##S(T x, T y) { return fmax_fast(x, y); }                                      \
  PURE T __ocml_min_##S(T x, T y) { return fmin_fast(x, y); }                                       \
  PURE T __ocml_max_##S(T x, T y) { return fmax_fast(x, y); }                                       \
  PURE T __ocml_minmag_##S(T x, T y) {                                                              \
    return abs_(x) < abs_(y) ? x : abs_(y) < abs_(x) ? y : fmin_fast(x, y);                         \
  }                                                                                                 \
  PURE T __ocml_maxmag_##S(T x, T y) {                                                              \
    return abs_(x) > abs_(y) ? x : abs_(y) > abs_(x) ? y : fmax_fast(x, y);                         \
  }                                                                                                 \
  PURE T __ocml_fdim_##S(T x, T y) { return fdim_t(x, y); }                                         \
  PURE T __ocml_fma_##S(T a, T b, T c) { return mad_t(a, b, c); }                                   \
  PURE T __ocml_mad_##S(T a, T b, T c) { return mad_t(a, b, c); }                                   \
  PURE T __ocml_fmuladd_##S(T a, T b, T c) { return mad_t(a, b, c); }                               \
  PURE T __ocml_nextafter_##S(T x, T y) { return nextafter_t(x, y); }                               \
  PURE T __ocml_succ_##S(T x) { return nextafter_t(x, inf<T>()); }                                  \
  PURE T __ocml_pred_##S(T x) { return nextafter_t(x, (T)-inf<T>()); }                              \
  PURE T __ocml_nan_##S(UB b) { return from_bits<T>((UB)(lim<T>::quiet | (b & ~lim<T>::sign & ~lim<T>::expo))); } \
  PURE int __ocml_isnan_##S(T x) { return is_nan(x); }                                              \
  PURE int __ocml_isinf_##S(T x) { return is_inf(x); }                                              \
  PURE int __ocml_isfinite_##S(T x) { return is_finite(x); }                                        \
  PURE int __ocml_isnormal_##S(T x) { return is_finite(x) && (as_bits(x) & lim<T>::expo) != 0; }    \
  PURE int __ocml_fpclassify_##S(T x) { return fpclassify_t(x); }                                   \
  PURE int __ocml_signbit_##S(T x) { return is_negative(x); }                                       \
  PURE T __ocml_logb_##S(T x) { return logb_t(x); }                                                 \
  PURE int __ocml_ilogb_##S(T x) { return ilogb_t(x); }                                             \
  PURE T __ocml_ldexp_##S(T x, int e) { return ldexp_wide(x, e); }                                  \
  PURE T __ocml_scalbn_##S(T x, int e) { return ldexp_wide(x, e); }                                 \
  PURE T __ocml_scalb_##S(T x, T y) { return scalb_t(x, y); }                                       \
  API T __ocml_frexp_##S(T x, PRIVATE int *e) {                                                     \
    parts<T> p = frexp_t(x);                                                                        \
    *e = p.e;                                                                                       \
    return p.m;                                                                                     \
  }                                                                                                 \
  API T __ocml_modf_##S(T x, PRIVATE T *whole) {                                                    \
    T w = trunc_(x);                                                                                \
    *whole = w;                                                                                     \
    return modf_t(x, w);                                                                            \
  }                                                                                                 \
  API T __ocml_fract_##S(T x, PRIVATE T *whole) {                                                   \
    T w = floor_(x);                                                                                \
    *whole = w;                                                                                     \
    return fract_t(x, w);                                                                           \
  }
EXPORT_BASIC(f32, float, u32)
EXPORT_BASIC(f64, double, u64)
EXPORT_BASIC(f16, half, u16)

EXPORT_2F16(fabs)
EXPORT_2F16(floor)
EXPORT_2F16(ceil)
EXPORT_2F16(trunc)
EXPORT_2F16(round)
EXPORT_2F16(rint)
EXPORT_2F16(nearbyint)
EXPORT_2F16(logb)
typedef short short2 __attribute__((ext_vector_type(2)));
PURE short2 __ocml_isnan_2f16(half2 x) { return short2{(short)-is_nan(x.x), (short)-is_nan(x.y)}; }
PURE short2 __ocml_isinf_2f16(half2 x) { return short2{(short)-is_inf(x.x), (short)-is_inf(x.y)}; }
PURE short2 __ocml_isfinite_2f16(half2 x) { return short2{(short)-is_finite(x.x), (short)-is_finite(x.y)}; }
PURE half2 __ocml_fma_2f16(half2 a, half2 b, half2 c) {
  return half2{mad_t(a.x, b.x, c.x), mad_t(a.y, b.y, c.y)};
}
PURE half2 __ocml_fmin_2f16(half2 a, half2 b) { return half2{fmin_any(a.x, b.x), fmin_any(a.y, b.y)}; }
PURE half2 __ocml_fmax_2f16(half2 a, half2 b) { return half2{fmax_any(a.x, b.x), fmax_any(a.y, b.y)}; }

typedef float float2 __attribute__((ext_vector_type(2)));
#define EXPORT_FMA_2F32(name)                                                                       \
  PURE float2 __ocml_##name##_2f32(float2 a, float2 b, float2 c) {                                  \
    return float2{fma_(a.x, b.x, c.x), fma_(a.y, b.y, c.y)};                                        \
  }
EXPORT_FMA_2F32(fma)
EXPORT_FMA_2F32(mad)
EXPORT_FMA_2F32(fmuladd)
