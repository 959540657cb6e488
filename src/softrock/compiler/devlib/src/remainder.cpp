// fmod, remainder, remquo: exact, by long division in steps of many quotient bits.
#include "base.h"

template <class T> struct division {
  T rest;   // |x| - quotient |y|, 0 <= rest < |y|
  u32 low;  // low bits of the quotient
};
// ax and ay finite, ay > 0.
template <class T> INLINE division<T> long_division(T ax, T ay) {
  constexpr int step = fp<T>::mantissa - 2;  // quotient bits a round, two to spare for the estimate's error
  if (ax < ay) return {ax, 0};
  parts<T> a = split(ax), b = split(ay);
  T m = a.m, n = b.m, inverse = T(1) / n;
  int left = a.e - b.e;
  u32 low = 0;
  // Invariant: |x| = (quotient so far) |y| + m 2^left scaled, with 0 <= m < 2n at the start and m < n after each step.
  int bits = left % step;
  for (;;) {
    m = ldexp_(m, bits);
    T q = trunc_(m * inverse);  // off by at most one
    T r = fma_(-q, n, m);       // only its place matters: from n up it may lack a bit
    q = r < T(0) ? q - T(1) : r >= n ? q + T(1) : q;
    r = fma_(-q, n, m);  // exact
    low = (bits < 32 ? low << bits : 0) + (u32)(u64)q;
    m = r;
    left -= bits;
    if (left == 0 || m == T(0)) break;
    bits = step;
  }
  low = left < 32 ? low << left : 0;
  return {ldexp_(m, b.e), low};
}
template <class T> INLINE bool divisible(T x, T y) { return is_finite(x) && !is_nan(y) && y != T(0); }

template <class T> INLINE T fmod_t(T x, T y) {
  T ax = abs_(x), ay = abs_(y);
  bool usual = divisible(x, y), far = ax < ay;
  if (!usual) return nan<T>();
  return far ? x : mulsign(long_division(ax, ay).rest, x);
}
template <class T> struct rounded_division {
  T rest;
  int quotient;
};
template <class T> INLINE rounded_division<T> remquo_t(T x, T y) {
  T ax = abs_(x), ay = abs_(y);
  if (!divisible(x, y)) return {nan<T>(), 0};
  division<T> d = {ax, 0};
  if (!(ax < ay)) d = long_division(ax, ay);
  // Round to the nearest multiple, ties to even; rest > ay/2 is asked without overflow or underflow.
  T other = ay - d.rest;
  bool up = d.rest > other || (d.rest == other && (d.low & 1));
  T rest = up ? -other : d.rest;
  u32 q = (d.low + (up ? 1u : 0u)) & 0x7fffffffu;
  rest = rest == T(0) ? T(0) : rest;
  return {mulsign(rest, x), is_negative(x) != is_negative(y) ? -(int)q : (int)q};
}
template <class T> INLINE T remainder_t(T x, T y) { return remquo_t(x, y).rest; }

EXPORT2(fmod, fmod_t)
EXPORT2(remainder, remainder_t)

#define EXPORT_REMQUO(S, T, W)                                               \
  API T __ocml_remquo_##S(T x, T y, PRIVATE int *quotient) {                 \
    rounded_division<W> d = remquo_t((W)x, (W)y);                            \
    *quotient = d.quotient;                                                  \
    return (T)d.rest;                                                        \
  }                                                                          \
  struct remquo_##S {                                                        \
    T rest;                                                                  \
    int quotient;                                                            \
  };                                                                         \
  PURE remquo_##S __ocml_remquo2_##S(T x, T y) {                             \
    rounded_division<W> d = remquo_t((W)x, (W)y);                            \
    return {(T)d.rest, d.quotient};                                          \
  }
EXPORT_REMQUO(f32, float, float)
EXPORT_REMQUO(f64, double, double)
EXPORT_REMQUO(f16, half, float)
