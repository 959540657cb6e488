// Gamma and its logarithm. Near 1 and 2 polynomials that vanish there; products bring x < 8 there; Stirling's series above;
// reflection below 0.
#include "exp_log.h"
#include "trig.h"

// Stirling's log gamma for x >= 8 as a pair: (x - 1/2) log x - x + log(2 pi)/2 + S(1/x^2)/x.
template <class T> INLINE dd<T> stirling(T x) {
  T r = reciprocal(x);
  dd<T> l = mul(log_accurate(x), x - T(0.5));
  T s = r * poly(r * r, C(stirling));
  return add(add(add(l, -x), C2(half_log_2pi)), s);
}
template <class T> struct shifted {
  dd<T> product;  // gamma(x) = product * gamma(base) if up, gamma(base)/product otherwise
  T base;
};
// For 0 < x < 8: gamma(x) = product gamma(base), base in [1.5, 2.5) (or below it, where x is).
template <class T> INLINE shifted<T> shift_down(T x, T least) {
  dd<T> p = {T(1), T(0)};
#pragma unroll
  for (int i = 0; i < 7; ++i) {
    bool more = x >= least;
    T lower = x - T(1);
    dd<T> q = mul(p, lower);
    p = {more ? q.hi : p.hi, more ? q.lo : p.lo};
    x = more ? lower : x;
  }
  return {p, x};
}

template <class T> INLINE T lgamma_small(T x) {  // 0 < |x| < 1/2: gamma(x) = gamma(1 + x)/x
  dd<T> l = log_pair(abs_(x));
  return fma_(x, poly(x, C(lgamma_1)), -l.lo) - l.hi;
}
template <class T> INLINE T lgamma_positive(T x) {  // x > 0, finite
  if (x >= T(8)) {
    T limit = ldexp_(T(1), fp<T>::mantissa + 8);
    if (x > limit) return x * (log_t(x) - T(1));
    dd<T> s = stirling(x);
    return s.hi + s.lo;
  }
  if (x < T(0.5)) return lgamma_small(x);
  if (x < T(1.5)) return fma_(x - T(1), poly(x - T(1), C(lgamma_1)), T(0));  // + 0 keeps lgamma(1) positive
  shifted<T> s = shift_down(x, T(2.5));
  T t = s.base - T(2), near = t * poly(t, C(lgamma_2));
  dd<T> l = log_pair(s.product.hi);
  return x < T(2.5) ? near : l.hi + (l.lo + near);
}
template <class T> struct signed_log {
  T value;
  int sign;
};
template <class T> INLINE signed_log<T> lgamma_t(T x) {
  T ax = abs_(x);
  bool usual = ax > T(0) && is_finite(x);
  T y = lgamma_positive(usual ? ax : T(1));
  T whole = floor_(x);
  int sign = 1;
  if (x < T(0) && usual) {  // gamma(x) gamma(-x) = -pi/(x sin(pi x))
    T s = abs_(sinpi_t(x));
    dd<T> p = mul(C2(inv_pi), ax);
    dd<T> l = log_pair(p.hi * s);
    y = -(l.hi + (l.lo + y));
    y = ax < T(0.5) ? lgamma_small(x) : y;
    y = whole == x ? inf<T>() : y;
    T h = T(0.5) * whole;
    sign = whole != x && floor_(h) != h ? -1 : 1;
  }
  y = x == T(0) || is_inf(x) ? inf<T>() : y;
  sign = x == T(0) && is_negative(x) ? -1 : sign;
  return {is_nan(x) ? x : y, sign};
}
template <class T> INLINE T lgamma_value(T x) { return lgamma_t(x).value; }

template <class T> struct gamma_limit;  // gamma(x) overflows beyond `most`; 1/gamma(|x|) is far below denormals beyond `least`
template <> struct gamma_limit<float> {
  static constexpr float most = 36.0f, least = 43.0f;
};
template <> struct gamma_limit<double> {
  static constexpr double most = 172.0, least = 185.0;
};
// gamma(x) = m 2^k for x > 0, as a pair with an exponent.
template <class T> INLINE scaled<T> gamma_positive(T x) {
  if (x >= T(8)) return exp_pair(stirling(x));
  shifted<T> s = shift_down(x, T(1.5));
  bool below = s.base < T(0.5);  // gamma(x) = gamma(1 + x)/x
  T t = below ? s.base : s.base - T(1);
  dd<T> r = fast_two_sum(T(1), t * poly(t, C(rgamma)));
  dd<T> q = below ? mul(r, s.base) : r;
  return {div(s.product, q), 0};
}
template <class T> INLINE T tgamma_t(T x) {
  T ax = abs_(x);
  bool usual = ax > fp<T>::smallest * T(4) && ax < (x > T(0) ? gamma_limit<T>::most : gamma_limit<T>::least);
  T a = usual ? ax : T(1);
  scaled<T> g = gamma_positive(a);
  T y = ldexp_(g.m.hi + g.m.lo, g.k);
  if (x < T(0) && usual) {  // gamma(x) = -pi/(x sin(pi x) gamma(-x))
    dd<T> d = mul(mul(g.m, a), sinpi_t(a));
    dd<T> r = div(C2(pi), d);
    y = -ldexp_(r.hi + r.lo, -g.k);
    y = floor_(x) == x ? nan<T>() : y;
  }
  T large = x > T(0) ? x < T(1) ? T(1) / x : inf<T>() : T(0);
  // Below the last poles every number that is no integer gives a zero of alternating sign.
  T h = T(0.5) * floor_(x);
  T tiny = ax < T(1) ? T(1) / x : floor_(h) == h ? T(0) : T(-0.0);
  tiny = ax >= T(1) && (floor_(x) == x) ? nan<T>() : tiny;
  T edge = x > T(0) ? large : x == T(0) ? mulsign(inf<T>(), x) : tiny;
  return is_nan(x) ? x : usual ? y : edge;
}

EXPORT1(lgamma, lgamma_value)
EXPORT1(tgamma, tgamma_t)
#define EXPORT_LGAMMA_R(S, T, W)                                             \
  API T __ocml_lgamma_r_##S(T x, PRIVATE int *sign) {                        \
    signed_log<W> l = lgamma_t((W)x);                                        \
    *sign = l.sign;                                                          \
    return (T)l.value;                                                       \
  }
EXPORT_LGAMMA_R(f32, float, float)
EXPORT_LGAMMA_R(f64, double, double)
EXPORT_LGAMMA_R(f16, half, float)
