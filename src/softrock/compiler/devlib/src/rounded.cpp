// Arithmetic and conversions rounded down (rtn), up (rtp), to zero (rtz) and to nearest (rte). No mode register is touched: the
// exact result is found as a nearest value and the sign of what is missing, by error-free transformations on scaled operands.
#include "base.h"

enum rounding { DOWN = -1, ZERO = 0, UP = 1 };

template <class T> INLINE T greatest() { return from_bits<T>((typename fp<T>::bits)(lim<T>::expo - 1)); }
template <class T> INLINE T one_up(T x) {
  typedef typename fp<T>::bits B;
  B b = as_bits(x);
  return x == T(0) ? from_bits<T>(B(1)) : from_bits<T>((B)(is_negative(x) ? b - 1 : b + 1));
}
template <class T> INLINE T one_down(T x) { return (T)-one_up((T)-x); }

// The nearest value `y` corrected, given signs: of the exact value (`positive`) and of exact - y (`rest`).
template <rounding R, class T, class S> INLINE T corrected(T y, bool positive, S rest) {
  if (R == UP || (R == ZERO && !positive)) {
    if (is_inf(y)) return positive ? y : (T)-greatest<T>();
    return rest > S(0) ? one_up(y) : y;
  }
  if (is_inf(y)) return positive ? greatest<T>() : y;
  return rest < S(0) ? one_down(y) : y;
}
// (hi + lo) 2^k for hi != 0; of lo only the sign counts, and |lo| is at most half an ulp of hi or so.
template <rounding R, class T> INLINE T scaled_result(T hi, T lo, int k) {
  T y = ldexp_(hi, k);
  T lost = is_inf(y) ? T(0) : hi - ldexp_(y, -k);
  return corrected<R>(y, hi > T(0), lost != T(0) ? lost : lo);
}
// hi + lo in a narrower type.
template <rounding R, class T, class S> INLINE T narrowed(S hi, S lo) {
  T y = (T)hi;
  if (!is_finite(hi) || hi == S(0)) return y;
  S lost = is_inf(y) ? S(0) : hi - (S)y;
  return corrected<R>(y, hi > S(0), lost != S(0) ? lost : lo);
}
template <rounding R, class T> INLINE T exact_zero() { return R == DOWN ? T(-0.0) : T(0); }

template <rounding R, class T> INLINE T add_r(T a, T b) {
  T s = a + b;
  if (!is_finite(a) || !is_finite(b)) return s;
  if (s == T(0)) return a == T(0) && is_negative(a) == is_negative(b) ? s : exact_zero<R, T>();
  bool swap = abs_(a) < abs_(b);
  T big = swap ? b : a, small = swap ? a : b;
  return corrected<R>(s, big > T(0), small - (s - big));
}
template <rounding R, class T> INLINE T mul_r(T a, T b) {
  if (a == T(0) || b == T(0) || !is_finite(a) || !is_finite(b)) return a * b;
  parts<T> x = split(a), y = split(b);
  dd<T> p = two_prod(x.m, y.m);
  return scaled_result<R>(p.hi, p.lo, x.e + y.e);
}
template <rounding R, class T> INLINE T div_r(T a, T b) {
  if (a == T(0) || b == T(0) || !is_finite(a) || !is_finite(b)) return a / b;
  parts<T> x = split(a), y = split(b);
  T q = x.m / y.m, rest = fma_(-q, y.m, x.m);
  return scaled_result<R>(q, y.m > T(0) ? rest : -rest, x.e - y.e);
}
template <rounding R, class T> INLINE T sqrt_r(T a) {
  if (!(a > T(0)) || !is_finite(a)) return sqrt_(a);
  parts<T> x = split(a);
  bool odd = x.e & 1;
  T m = odd ? x.m + x.m : x.m, s = sqrt_(m);
  return scaled_result<R>(s, fma_(-s, s, m), (odd ? x.e - 1 : x.e) / 2);
}
template <rounding R, class T> INLINE T fma_r(T a, T b, T c) {
  if (!is_finite(a) || !is_finite(b) || !is_finite(c)) return fma_(a, b, c);
  if (a == T(0) || b == T(0)) return add_r<R>(a * b, c);
  if (c == T(0)) return mul_r<R>(a, b);
  parts<T> x = split(a), y = split(b), z = split(c);
  dd<T> p = two_prod(x.m, y.m);
  int k = x.e + y.e, gap = z.e - k;
  constexpr int apart = 2 * fp<T>::mantissa + 10;  // beyond it only the sign of the smaller counts
  if (gap > apart) return scaled_result<R>(z.m, p.hi, z.e);
  if (gap < -apart) return scaled_result<R>(p.hi, p.lo != T(0) ? p.lo : z.m, k);
  dd<T> s = two_sum(p.hi, ldexp_(z.m, gap)), t = two_sum(s.lo, p.lo), u = two_sum(s.hi, t.hi);
  if (u.hi == T(0)) return t.lo == T(0) ? exact_zero<R, T>() : scaled_result<R>(t.lo, T(0), k);
  return scaled_result<R>(u.hi, u.lo != T(0) ? u.lo : t.lo, k);
}

// Halves in double, where sums and products are exact or leave an exact rest.
template <rounding R> INLINE half add_r(half a, half b) {
  double s = (double)a + (double)b;
  if (s == 0.0) return a == half(0) && is_negative(a) == is_negative(b) ? a : exact_zero<R, half>();
  return narrowed<R, half>(s, 0.0);
}
template <rounding R> INLINE half mul_r(half a, half b) { return narrowed<R, half>((double)a * (double)b, 0.0); }
template <rounding R> INLINE half div_r(half a, half b) {
  double q = (double)a / (double)b, rest = fma_(-q, (double)b, (double)a);
  return narrowed<R, half>(q, is_negative(b) ? -rest : rest);
}
template <rounding R> INLINE half sqrt_r(half a) {
  double s = sqrt_((double)a);
  return narrowed<R, half>(s, fma_(-s, s, (double)a));
}
template <rounding R> INLINE half fma_r(half a, half b, half c) {
  double p = (double)a * (double)b;
  dd<double> s = two_sum(p, (double)c);
  bool same = p == 0.0 && c == half(0) && is_negative(p) == is_negative(c);
  if (s.hi == 0.0) return same ? c : exact_zero<R, half>();
  return narrowed<R, half>(s.hi, s.lo);
}

template <rounding R, class T> INLINE T from_magnitude(u64 m) {
  T y = (T)m;
  i64 rest = y >= T(0x1p64) ? -1 : (i64)(m - (u64)y);
  y = corrected<R>(y, true, (double)rest);
  return y;
}
// Rounding a magnitude: down and up change places below zero.
template <rounding R, class T> INLINE T from_integer(i64 v) {
  if (v >= 0) return from_magnitude<R, T>((u64)v);
  return -from_magnitude<(rounding)-R, T>(-(u64)v);
}

#define EXPORT_ROUNDED(M, R, S, T)                                                   \
  PURE T __ocml_add_##M##_##S(T a, T b) { return add_r<R>(a, b); }                   \
  PURE T __ocml_sub_##M##_##S(T a, T b) { return add_r<R>(a, (T)-b); }               \
  PURE T __ocml_mul_##M##_##S(T a, T b) { return mul_r<R>(a, b); }                   \
  PURE T __ocml_div_##M##_##S(T a, T b) { return div_r<R>(a, b); }                   \
  PURE T __ocml_sqrt_##M##_##S(T a) { return sqrt_r<R>(a); }                         \
  PURE T __ocml_fma_##M##_##S(T a, T b, T c) { return fma_r<R>(a, b, c); }
#define EXPORT_NEAREST(S, T, FMA)                                                    \
  PURE T __ocml_add_rte_##S(T a, T b) { return a + b; }                              \
  PURE T __ocml_sub_rte_##S(T a, T b) { return a - b; }                              \
  PURE T __ocml_mul_rte_##S(T a, T b) { return a * b; }                              \
  PURE T __ocml_div_rte_##S(T a, T b) { return a / b; }                              \
  PURE T __ocml_sqrt_rte_##S(T a) { return sqrt_(a); }                               \
  PURE T __ocml_fma_rte_##S(T a, T b, T c) { return FMA(a, b, c); }
#define EXPORT_CONVERSIONS(M, R)                                                     \
  PURE half __ocml_cvt##M##_f16_f32(float a) { return narrowed<R, half>(a, 0.0f); }  \
  PURE half __ocml_cvt##M##_f16_f64(double a) { return narrowed<R, half>(a, 0.0); }  \
  PURE float __ocml_cvt##M##_f32_f64(double a) { return narrowed<R, float>(a, 0.0); } \
  PURE float __ocml_cvt##M##_f32_s32(int a) { return from_integer<R, float>(a); }    \
  PURE float __ocml_cvt##M##_f32_u32(u32 a) { return from_magnitude<R, float>(a); } \
  PURE float __ocml_cvt##M##_f32_s64(i64 a) { return from_integer<R, float>(a); }    \
  PURE float __ocml_cvt##M##_f32_u64(u64 a) { return from_magnitude<R, float>(a); } \
  PURE double __ocml_cvt##M##_f64_s64(i64 a) { return from_integer<R, double>(a); }  \
  PURE double __ocml_cvt##M##_f64_u64(u64 a) { return from_magnitude<R, double>(a); }
#define EXPORT_MODE(M, R)                                                            \
  EXPORT_ROUNDED(M, R, f32, float)                                                   \
  EXPORT_ROUNDED(M, R, f64, double)                                                  \
  EXPORT_ROUNDED(M, R, f16, half)                                                    \
  EXPORT_CONVERSIONS(M, R)
EXPORT_MODE(rtn, DOWN)
EXPORT_MODE(rtp, UP)
EXPORT_MODE(rtz, ZERO)
EXPORT_NEAREST(f32, float, __builtin_fmaf)
EXPORT_NEAREST(f64, double, __builtin_fma)
EXPORT_NEAREST(f16, half, __builtin_fmaf16)
PURE half __ocml_cvtrte_f16_f64(double a) { return (half)a; }
