// Error functions and the normal distribution. erfc(x) = e^(-x^2) Q(t)/(1 + 2x) with t = (x - 4)/(x + 4) after Shepherd and
// Laframboise (1981); the inverses are polynomials in w = -log(1 - x^2) and sqrt(w) after Giles (2010). All coefficients are
// our own.
#include "exp_log.h"

template <class T> INLINE T erf_small(T x) { return fma_(x, poly(x * x, C(erf)), x); }

// e^(x^2) erfc(x) for 0 <= x, not huge.
template <class T> INLINE T erfcx_positive(T x) {
  T t = divide(x - T(4), x + T(4));
  T r = divide(poly(t, C(erfcx)), fma_(T(2), x, T(1)));
  return x < T(1) ? poly(x - T(0.5), C(erfcx_near)) : r;  // there t would lose what 1 + t needs
}
template <class T> struct erfc_limit;  // erfc(x) underflows to 0 beyond
template <> struct erfc_limit<float> {
  static constexpr float value = 10.2f;
};
template <> struct erfc_limit<double> {
  static constexpr double value = 27.3;
};
// scale * erfc(x) for x >= 0 given as a pair; scale is a power of two. The result is rounded once even where it is denormal.
template <class T> INLINE T erfc_positive(dd<T> x, T scale) {
  bool far = x.hi > erfc_limit<T>::value;
  x = far ? dd<T>{erfc_limit<T>::value, T(0)} : x;
  scaled<T> e = exp_reduced(neg(mul(x, x)));
  T q = scale * erfcx_positive(x.hi);
  T y = ldexp_(fma_(q, e.m.hi + e.m.lo, q), e.k);
  return y;
}
template <class T> INLINE T erf_t(T x) {
  T ax = abs_(x);
  T large = T(1) - exp_of(dd<T>{-poly(fmin_(ax, T(6)) - T(1), C(log_erfc)), T(0)});  // 1 beyond 6
  T y = ax < T(1) ? erf_small(ax) : large;
  return is_nan(x) ? x : mulsign(y, x);
}
template <class T> INLINE T erfc_t(T x) {
  T y = erfc_positive(dd<T>{abs_(x), T(0)}, T(1));
  y = x < T(0) ? T(2) - y : y;
  y = abs_(x) < T(0.5) ? T(1) - erf_small(x) : y;
  return is_nan(x) ? x : y;
}
template <class T> INLINE T erfcx_t(T x) {
  T ax = abs_(x);
  T far = T(1) / C(sqrt_pi_0) / ax;
  T y = ax > ldexp_(T(1), (fp<T>::mantissa + 4) / 2 + 1) ? far : erfcx_positive(ax);
  T a = fmin_(ax, erfc_limit<T>::value);
  T mirrored = fma_(T(2), exp_of(two_prod(a, a)), -y);
  y = x < T(0) ? mirrored : y;
  y = x > fp<T>::largest ? T(0) : y;
  return is_nan(x) ? x : y;
}

// The sum of a polynomial as a pair: all but its last addition in one word.
template <class T, int N> INLINE dd<T> poly_pair(T x, const T (&c)[N]) {
  T r = c[N - 1];
#pragma unroll
  for (int i = N - 2; i > 0; --i) r = fma_(r, x, c[i]);
  return fast_two_sum(c[0], r * x);
}
// erfinv(x)/x as a pair, given w = -log(1 - x^2) > 0.
template <class T> INLINE dd<T> erfinv_ratio(dd<T> w) {
  if (w.hi < T(6.25)) return poly_pair((w.hi - T(3.125)) + w.lo, C(erfinv_a));
  roots<T> r = both_roots(w.hi);
  T s = r.s, low = (fma_(-s, s, w.hi) + w.lo) * r.half_r;
  if (s < T(4)) return poly_pair((s - T(3.25)) + low, C(erfinv_b));
  if (s < T(6.5)) return poly_pair((s - T(5.25)) + low, C(erfinv_c));
  if (s < T(12)) return poly_pair((s - T(9)) + low, C(erfinv_d));
  return poly_pair((s - T(18)) + low, C(erfinv_e));
}
template <class T> INLINE T erfinv_from(dd<T> x, dd<T> w) {
  dd<T> p = erfinv_ratio(w);
  return fma_(x.hi, p.hi, fma_(x.hi, p.lo, x.lo * p.hi));
}
template <class T> INLINE dd<T> minus(dd<T> l) { return neg(fast_two_sum(l.hi, l.lo)); }
template <class T> INLINE dd<T> log_of_pair(dd<T> a) {
  dd<T> l = log_pair(a.hi);
  return {l.hi, l.lo + a.lo / a.hi};
}
// w for an argument x whose distance to 1, d = 1 - |x|, is known exactly.
template <class T> INLINE dd<T> tail_weight(T d) { return minus(log_of_pair(mul(two_sum(T(2), -d), d))); }
template <class T> INLINE dd<T> centre_weight(T x) { return minus(log1p_pair(neg(two_prod(x, x)))); }

template <class T> INLINE T erfinv_t(T x) {
  T ax = abs_(x);
  dd<T> w = ax < T(0.5) ? centre_weight(ax) : tail_weight(T(1) - ax);
  T y = erfinv_from(dd<T>{ax, T(0)}, w);
  y = ax < T(1) ? y : ax == T(1) ? inf<T>() : nan<T>();
  return mulsign(y, x);
}
template <class T> INLINE T erfcinv_t(T x) {
  T d = x > T(1) ? T(2) - x : x;
  dd<T> u = two_sum(T(1), -x);  // u.lo is 0 where d > 1/2
  dd<T> w = d > T(0.5) ? centre_weight(u.hi) : tail_weight(d);
  T y = erfinv_from(u, w);
  y = x > T(0) && x < T(2) ? y : x == T(0) ? inf<T>() : x == T(2) ? -inf<T>() : nan<T>();
  return y;
}
template <class T> INLINE T ncdf_t(T x) {
  T ax = fmin_(abs_(x), T(64));
  dd<T> a = mul(dd<T>{C(sqrt_half_0), C(sqrt_half_1)}, ax);
  T y = erfc_positive(a, T(0.5));
  y = x > T(0) ? T(1) - y : y;
  T small = T(0.5) * erf_small(a.hi);
  y = ax < T(0.5) ? T(0.5) + mulsign(small, x) : y;
  return is_nan(x) ? x : y;
}
template <class T> INLINE T ncdfinv_t(T p) {
  // 2p is exact, and so is 2p - 1 where it matters.
  T q = T(2) * p, d = q > T(1) ? T(2) - q : q;
  dd<T> u = two_sum(T(1), -q);
  dd<T> w = d > T(0.5) ? centre_weight(u.hi) : tail_weight(d);
  T y = fma_(erfinv_from(u, w), T(-1.4142135623730950488), T(0));  // + 0 keeps ncdfinv(1/2) positive
  y = p > T(0) && p < T(1) ? y : p == T(0) ? -inf<T>() : p == T(1) ? inf<T>() : nan<T>();
  return y;
}

EXPORT1(erf, erf_t)
EXPORT1(erfc, erfc_t)
EXPORT1(erfcx, erfcx_t)
EXPORT1(erfinv, erfinv_t)
EXPORT1(erfcinv, erfcinv_t)
EXPORT1(ncdf, ncdf_t)
EXPORT1(ncdfinv, ncdfinv_t)
