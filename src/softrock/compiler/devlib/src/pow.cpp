// pow, powr, pown, rootn: e^(y log x) in double-word arithmetic, special cases after C99 Annex F and OpenCL.
#include "exp_log.h"


// |x|^y for any |x| (0 and inf included) and y != 0 finite or infinite; NaN arguments give anything.
template <class T> INLINE T pow_magnitude(T ax, dd<T> y) {
  bool usual = ax > T(0) && ax < inf<T>() && is_finite(y.hi);
  dd<T> l = log_accurate(usual ? ax : T(1));
  T guess = l.hi * y.hi;
  bool inside = abs_(guess) < exp_limit<T>::value;
  dd<T> t = mul(l, inside ? y : dd<T>{T(0), T(0)});
  T r = exp_of(t);
  r = inside ? r : guess > T(0) ? inf<T>() : T(0);
  bool grows = (ax > T(1)) == (y.hi > T(0));
  T edge = ax == T(1) ? T(1) : grows ? inf<T>() : T(0);
  return usual ? r : edge;
}
template <class T> INLINE bool is_odd(T y) {
  T h = T(0.5) * y;
  return is_finite(y) && trunc_(y) == y && trunc_(h) != h;
}
template <class T> INLINE T pow_t(T x, T y) {
  T ax = abs_(x);
  T r = pow_magnitude(ax, dd<T>{y, T(0)});
  bool negative = is_negative(x);
  r = negative && is_odd(y) ? -r : r;
  bool outside = negative && x != T(0) && is_finite(x) && is_finite(y) && trunc_(y) != y;
  r = outside ? nan<T>() : r;
  r = is_nan(x) || is_nan(y) ? nan<T>() : r;
  return x == T(1) || y == T(0) ? T(1) : r;
}
template <class T> INLINE T powr_t(T x, T y) {
  T r = pow_magnitude(x, dd<T>{y, T(0)});
  bool undefined = x < T(0) || is_nan(x) || is_nan(y);
  undefined |= y == T(0) && (x == T(0) || x == inf<T>());
  undefined |= x == T(1) && !is_finite(y);
  r = y == T(0) ? T(1) : r;
  return undefined ? nan<T>() : r;
}
template <class T> INLINE dd<T> whole(int n) {
  T hi = (T)n;
  return {hi, (T)((i64)n - (i64)hi)};
}
template <class T> INLINE T pown_t(T x, int n) {
  T r = pow_magnitude(abs_(x), whole<T>(n));
  r = is_negative(x) && (n & 1) ? -r : r;
  r = is_nan(x) ? nan<T>() : r;
  return n == 0 ? T(1) : r;
}
template <class T> INLINE T rootn_t(T x, int n) {
  dd<T> y = div(dd<T>{T(1), T(0)}, whole<T>(n == 0 ? 1 : n));
  T r = pow_magnitude(abs_(x), y);
  bool odd = n & 1;
  r = is_negative(x) && odd ? -r : r;
  return n == 0 || is_nan(x) || (x < T(0) && !odd) ? nan<T>() : r;
}

EXPORT2(pow, pow_t)
EXPORT2(powr, powr_t)
PURE float __ocml_pown_f32(float x, int n) { return pown_t(x, n); }
PURE double __ocml_pown_f64(double x, int n) { return pown_t(x, n); }
PURE half __ocml_pown_f16(half x, int n) { return (half)pown_t((float)x, n); }
PURE float __ocml_rootn_f32(float x, int n) { return rootn_t(x, n); }
PURE double __ocml_rootn_f64(double x, int n) { return rootn_t(x, n); }
PURE half __ocml_rootn_f16(half x, int n) { return (half)rootn_t((float)x, n); }
