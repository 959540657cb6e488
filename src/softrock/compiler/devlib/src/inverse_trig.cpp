// asin, acos, atan, atan2 and their multiples of 1/pi. Kernels return pairs so that both forms come from one place.
#include "base.h"


template <class T> INLINE dd<T> choose(bool c, dd<T> a, dd<T> b) { return {c ? a.hi : b.hi, c ? a.lo : b.lo}; }
// sqrt((1-ax)/2) (1 + z P(z)) = asin of that root, for ax in [1/2, 1].
template <class T> INLINE dd<T> asin_of_root(T ax) {
  T z = T(0.5) * (T(1) - ax);
  roots<T> r = both_roots(z > T(0) ? z : T(1));
  T low = fma_(-r.s, r.s, z) * r.half_r;
  dd<T> a = fast_two_sum(r.s, fma_(r.s * z, poly(z, C(asin)), low));
  return choose(z > T(0), a, dd<T>{T(0), T(0)});
}
template <class T> INLINE dd<T> asin_small(T x) {
  T z = x * x;
  return fast_two_sum(x, x * z * poly(z, C(asin)));
}
template <class T> INLINE dd<T> twice(dd<T> a) { return {a.hi + a.hi, a.lo + a.lo}; }

template <class T> INLINE dd<T> asin_pair(T ax) {  // 0 <= ax <= 1
  dd<T> large = add(neg(twice(asin_of_root(ax))), C2(half_pi));
  return choose(ax <= T(0.5), asin_small(ax), large);
}
template <class T> INLINE dd<T> acos_pair(T x) {  // |x| <= 1
  dd<T> root = twice(asin_of_root(abs_(x)));
  dd<T> large = choose(x > T(0), root, add(neg(root), C2(pi)));
  return choose(abs_(x) <= T(0.5), add(neg(asin_small(x)), C2(half_pi)), large);
}
template <class T> INLINE dd<T> atan_unit(T v) {  // 0 <= v <= 1
  T z = v * v;
  return fast_two_sum(v, v * z * poly(z, C(atan)));
}
template <class T> INLINE dd<T> atan_pair(T ax) {  // ax >= 0
  bool large = ax > T(1);
  dd<T> a = atan_unit(large ? divide(T(1), fmin_(ax, T(0x1p80))) : ax);
  return choose(large, add(neg(a), C2(half_pi)), a);
}
template <class T> INLINE dd<T> atan2_pair(T y, T x) {  // magnitude of the angle
  T ax = abs_(x), ay = abs_(y);
  bool steep = ay > ax;
  T low = steep ? ax : ay, high = steep ? ay : ax;
  T v = low == high ? (high == T(0) ? T(0) : T(1)) : low / high;
  dd<T> a = atan_unit(v);
  a = choose(steep, add(neg(a), C2(half_pi)), a);
  return choose(is_negative(x), add(neg(a), C2(pi)), a);
}
template <class T> INLINE T radians(dd<T> a) { return a.hi + a.lo; }
template <class T> INLINE T half_turns(dd<T> a) {
  dd<T> p = mul(a, C2(inv_pi));
  return p.hi + p.lo;
}
template <class T> INLINE T outside_unit(T x, T y) { return abs_(x) <= T(1) ? y : nan<T>(); }

template <class T> INLINE T asin_t(T x) { return outside_unit(x, mulsign(radians(asin_pair(abs_(x))), x)); }
template <class T> INLINE T asinpi_t(T x) { return outside_unit(x, mulsign(half_turns(asin_pair(abs_(x))), x)); }
template <class T> INLINE T acos_t(T x) { return outside_unit(x, radians(acos_pair(x))); }
template <class T> INLINE T acospi_t(T x) { return outside_unit(x, half_turns(acos_pair(x))); }
template <class T> INLINE T atan_t(T x) { return is_nan(x) ? x : mulsign(radians(atan_pair(abs_(x))), x); }
template <class T> INLINE T atanpi_t(T x) { return is_nan(x) ? x : mulsign(half_turns(atan_pair(abs_(x))), x); }
template <class T> INLINE T atan2_t(T y, T x) {
  return is_nan(x) || is_nan(y) ? nan<T>() : mulsign(radians(atan2_pair(y, x)), y);
}
template <class T> INLINE T atan2pi_t(T y, T x) {
  return is_nan(x) || is_nan(y) ? nan<T>() : mulsign(half_turns(atan2_pair(y, x)), y);
}

EXPORT1(asin, asin_t)
EXPORT1(acos, acos_t)
EXPORT1(atan, atan_t)
EXPORT1(asinpi, asinpi_t)
EXPORT1(acospi, acospi_t)
EXPORT1(atanpi, atanpi_t)
EXPORT2(atan2, atan2_t)
EXPORT2(atan2pi, atan2pi_t)
