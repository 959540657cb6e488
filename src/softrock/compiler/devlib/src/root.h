// Roots and lengths: sqrt, rsqrt, cbrt, rcbrt, hypot, rhypot and the three- and four-dimensional lengths.
#pragma once
#include "base.h"

INLINE float rsqrt_t(float x) {
  bool tiny = x < fp<float>::smallest;  // the hardware flushes denormal arguments
  float y = hw_rsq(tiny ? x * 0x1p24f : x);
  return tiny ? y * 0x1p12f : y;
}
INLINE double rsqrt_t(double x) {
  double y = hw_rsq(x);
  dd<double> t = two_prod(x, y);
  double e = fma_(-t.hi, y, 1.0) - t.lo * y;
  double r = fma_(y * e, fma_(0.375, e, 0.5), y);
  return x > 0.0 && x < inf<double>() ? r : y;
}

template <class T> struct cube {
  T m, y;  // |x| = m 2^(3q) with m in [1/8, 1), y = m^(-1/3) nearly
  int q;
};
template <class T> INLINE cube<T> cube_start(T ax) {
  parts<T> p = split(ax);
  int q = (p.e + 3 * 1024 + 2) / 3 - 1024, r = p.e - 3 * q;
  float f = (float)p.m;
  T y = (T)(poly(f - 0.75f, coef<float>::cbrt) * (r == 0 ? 1.0f : r == -1 ? 0x1.428a3p0f : 0x1.965feap0f));
  T m = ldexp_(p.m, r);
  constexpr int rounds = sizeof(T) == 4 ? 1 : 2;  // each triples the good bits, from about 10
#pragma unroll
  for (int i = 0; i < rounds; ++i) {
    T e = fma_(-m * y, y * y, T(1));
    y = fma_(y * e, fma_(T(2) / T(9), e, T(1) / T(3)), y);
  }
  return {m, y, q};
}
template <class T> INLINE T cbrt_t(T x) {
  cube<T> c = cube_start(abs_(x));
  T y2 = c.y * c.y, t = c.m * y2;
  dd<T> t2 = two_prod(t, t), t3 = two_prod(t2.hi, t);
  T rest = (c.m - t3.hi) - fma_(t2.lo, t, t3.lo);
  t = fma_(rest, y2 * (T(1) / T(3)), t);
  return x == T(0) || !is_finite(x) ? x : mulsign(ldexp_(t, c.q), x);
}
template <class T> INLINE T rcbrt_t(T x) {
  cube<T> c = cube_start(abs_(x));
  dd<T> p = mul(mul(two_prod(c.y, c.y), c.y), c.m);
  T y = fma_(c.y * ((T(1) - p.hi) - p.lo), T(1) / T(3), c.y);
  T r = mulsign(ldexp_(y, -c.q), x);
  r = x == T(0) ? mulsign(inf<T>(), x) : r;
  return is_nan(x) ? x : is_inf(x) ? mulsign(T(0), x) : r;
}

// Sum of squares of numbers scaled by 2^-e.
template <class T> struct norm {
  dd<T> sum;
  int e;
  bool infinite, undefined, zero;
};
// The sum in one word (an ulp a term) or, `exact`, as a pair.
template <bool exact, class T, class... Rest> INLINE norm<T> norm_of(T first, Rest... rest) {
  T top = abs_(first);
  ((top = fmax_(top, abs_(rest))), ...);
  bool usual = top > T(0) && top < inf<T>();
  int e = split(usual ? top : T(1)).e;
  T s = ldexp_(first, -e);
  dd<T> sum = exact ? two_prod(s, s) : dd<T>{s * s, T(0)};
  ((s = ldexp_(rest, -e), sum = exact ? add(sum, two_prod(s, s)) : dd<T>{fma_(s, s, sum.hi), T(0)}), ...);
  bool infinite = (is_inf(first) || ... || is_inf(rest)), undefined = (is_nan(first) || ... || is_nan(rest));
  return {sum, e, infinite, undefined, !(top > T(0))};
}
template <class T> INLINE T norm_special(norm<T> n, T usual, T at_zero, T at_inf) {
  T r = n.zero ? at_zero : usual;
  r = n.undefined ? nan<T>() : r;
  return n.infinite ? at_inf : r;
}
template <class T, class... Rest> INLINE T length(T first, Rest... rest) {
  norm<T> n = norm_of<false>(first, rest...);
  return norm_special(n, ldexp_(root_of(n.sum.hi), n.e), T(0), inf<T>());
}
template <class T, class... Rest> INLINE T rlength(T first, Rest... rest) {
  norm<T> n = norm_of<true>(first, rest...);
  dd<T> s = n.zero || n.infinite ? dd<T>{T(1), T(0)} : n.sum;
  T y = rough_rsq(s.hi);
  dd<T> t = mul(s, y);
  T e = fma_(-t.hi, y, T(1)) - t.lo * y;
  return norm_special(n, ldexp_(fma_(T(0.5) * y, e, y), -n.e), inf<T>(), T(0));
}
template <class T> INLINE T hypot_t(T x, T y) { return length(x, y); }
template <class T> INLINE T rhypot_t(T x, T y) { return rlength(x, y); }
