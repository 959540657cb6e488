// Hyperbolic functions and their inverses, through e^x - 1 and log(1 + x) as pairs.
#include "exp_log.h"

template <class T> struct hyper_limit;  // beyond it e^-2x is lost in e^x
template <> struct hyper_limit<float> {
  static constexpr float large = 12.0f, huge = 0x1p14f;
};
template <> struct hyper_limit<double> {
  static constexpr double large = 22.0, huge = 0x1p30;
};
template <class T> INLINE bool negligible(T x) { return abs_(x) < ldexp_(T(1), -(fp<T>::mantissa + 4) / 2); }

template <class T> INLINE T sinh_t(T x) {
  T ax = abs_(x), a = fmin_(ax, hyper_limit<T>::large);
  dd<T> e = expm1_pair(dd<T>{a, T(0)});
  dd<T> s = add(e, div(e, add(e, T(1))));
  T y = T(0.5) * (s.hi + s.lo);
  y = ax > hyper_limit<T>::large ? half_exp(fmin_(ax, exp_limit<T>::value)) : y;
  return is_nan(x) || negligible(x) ? x : mulsign(y, x);
}
template <class T> INLINE T cosh_t(T x) {
  T ax = abs_(x), a = fmin_(ax, hyper_limit<T>::large);
  scaled<T> e = exp_pair(dd<T>{a, T(0)});
  T scale = ldexp_(T(0.5), e.k);
  dd<T> h = {e.m.hi * scale, e.m.lo * scale};
  dd<T> s = add(h, div(dd<T>{T(0.25), T(0)}, h));
  T y = ax > hyper_limit<T>::large ? half_exp(fmin_(ax, exp_limit<T>::value)) : s.hi + s.lo;
  return is_nan(x) ? x : y;
}
INLINE double tanh_t(double x) {
  double ax = abs_(x), a = fmin_(ax, hyper_limit<double>::large);
  dd<double> e = expm1_pair(dd<double>{a + a, 0.0});
  dd<double> t = div(e, add(e, 2.0));
  double y = ax >= hyper_limit<double>::large ? 1.0 : t.hi + t.lo;
  return is_nan(x) || negligible(x) ? x : mulsign(y, x);
}
INLINE float tanh_t(float x) {
  float ax = abs_(x), a = fmin_(ax, hyper_limit<float>::large), z = a * a;
  float small = fma_(a * z, poly(z, coef<float>::tanh), a);
  float d = exp_of(dd<float>{a + a, 0.0f}) + 1.0f, r = hw_rcp(d);
  r = fma_(fma_(-d, r, 1.0f), r, r);
  float y = a < 0.6f ? small : fma_(-2.0f, r, 1.0f);
  return is_nan(x) ? x : mulsign(y, x);
}
template <class T> INLINE T log_twice(T x) {  // log 2x for large x
  dd<T> l = add(log_pair(x), C2(ln2));
  return x < inf<T>() ? l.hi + l.lo : x;
}
template <class T> INLINE T asinh_t(T x) {
  T ax = abs_(x), a = fmin_(ax, hyper_limit<T>::huge);
  dd<T> t = two_prod(a, a), root = sqrt_dd(add(t, T(1)));
  dd<T> l = log1p_pair(add(div(t, add(root, T(1))), a));  // sqrt(1 + x^2) - 1 = x^2/(1 + sqrt(1 + x^2))
  T y = ax > hyper_limit<T>::huge ? log_twice(ax) : l.hi + l.lo;
  return is_nan(x) || negligible(x) ? x : mulsign(y, x);
}
template <class T> INLINE T acosh_t(T x) {
  T a = fmin_(x, hyper_limit<T>::huge);
  dd<T> t = two_sum(a, T(-1));
  dd<T> l = log1p_pair(add(sqrt_dd(mul(add(t, T(2)), t)), t));
  T y = x > hyper_limit<T>::huge ? log_twice(x) : l.hi + l.lo;
  return x > T(1) ? y : x == T(1) ? T(0) : nan<T>();
}
template <class T> INLINE T atanh_t(T x) {
  T ax = abs_(x);
  dd<T> l = log1p_pair(div(dd<T>{ax + ax, T(0)}, two_sum(T(1), -ax)));
  T y = T(0.5) * (l.hi + l.lo);
  y = ax < T(1) ? y : ax == T(1) ? inf<T>() : nan<T>();
  return negligible(x) ? x : mulsign(y, x);
}

EXPORT1(sinh, sinh_t)
EXPORT1(cosh, cosh_t)
EXPORT1(tanh, tanh_t)
EXPORT1(asinh, asinh_t)
EXPORT1(acosh, acosh_t)
EXPORT1(atanh, atanh_t)
