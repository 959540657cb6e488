// Bessel functions of order 0 and 1. Below 8 polynomials centred on the zeros, so that relative accuracy survives there; above,
// Hankel's asymptotic form with fitted modulus polynomials.
#include "exp_log.h"
#include "trig.h"

#define AROUND(x, name, zero) near_zero(x, C(name), C(zero##_0), C(zero##_1))
template <class T, int N> INLINE T near_zero(T x, const T (&c)[N], T zero, T zero_low) {
  T u = x - zero;
  dd<T> f = fast_two_sum(u, -zero_low);
  return f.hi * poly(f.hi, c);
}

// sqrt(2/(pi x)) (P cos a - Q sin a) and (P sin a + Q cos a), a = x - (2n + 1) pi/4.
template <class T, int N, int M> INLINE sc<T> hankel(T x, int order, const T (&p)[N], const T (&q)[M]) {
  T r = T(8) / x, s = r * r;
  T pv = poly(s, p), qv = poly(s, q) * (T(0.125) * r);
  sc<T> v = sincos_t(x);
  // cos(x - pi/4) = (cos + sin)/sqrt 2, sin(x - pi/4) = (sin - cos)/sqrt 2; order 1 turns by another quarter.
  T c = v.c + v.s, d = v.s - v.c;
  T ca = order ? d : c, sa = order ? -c : d;
  T scale = sqrt_(C(inv_pi_0) / x);
  return {scale * fma_(pv, sa, qv * ca), scale * fma_(pv, ca, -(qv * sa))};
}
template <class T> INLINE T j0_t(T x) {
  T a = abs_(x);
  T y;
  if (a < T(1.2)) {
    y = fma_(a * a, poly(a * a, C(j0_a)), T(1));
  } else if (a < T(3.9)) {
    y = AROUND(a, j0_b, j0_z1);
  } else if (a < T(7.1)) {
    y = AROUND(a, j0_c, j0_z2);
  } else if (a < T(8)) {
    y = AROUND(a, j0_d, j0_z3);
  } else {
    y = hankel(a, 0, C(bessel_p0), C(bessel_q0)).c;
  }
  return is_nan(x) ? x : is_inf(x) ? T(0) : y;
}
template <class T> INLINE T j1_t(T x) {
  T a = abs_(x);
  T y;
  if (a < T(2)) {
    y = a * poly(a * a, C(j1_a));
  } else if (a < T(5.4)) {
    y = AROUND(a, j1_b, j1_z1);
  } else if (a < T(8)) {
    y = AROUND(a, j1_c, j1_z2);
  } else {
    y = hankel(a, 1, C(bessel_p1), C(bessel_q1)).c;
  }
  return is_nan(x) ? x : is_inf(x) ? mulsign(T(0), x) : mulsign(y, x);
}
template <class T> INLINE T y_special(T x, T y) {
  T edge = x == T(0) ? -inf<T>() : x < T(0) ? nan<T>() : x;
  edge = x == inf<T>() ? T(0) : edge;
  return x > T(0) && x < inf<T>() ? y : edge;
}
// x - z and log(x/z) for a zero z given as a pair.
template <class T> struct beside {
  dd<T> gap;
  T log;
};
template <class T> INLINE beside<T> beside_zero(T x, T zero, T zero_low) {
  dd<T> g = two_sum(x, -zero);
  g = fast_two_sum(g.hi, g.lo - zero_low);
  T near = log1p_t(g.hi / zero);
  T far = log_t(x / zero);
  return {g, x > T(0.25) * zero ? near : far};
}
template <class T> INLINE T y0_t(T x) {
  T y;
  if (x < T(2.6)) {
    beside<T> b = beside_zero(x, C(y0_z1_0), C(y0_z1_1));
    T rest = b.gap.hi * (x + C(y0_z1_0)) * poly(x * x, C(y0_a));
    y = fma_(C(two_over_pi_0) * j0_t(x), b.log, rest);
  } else if (x < T(5.4)) {
    y = AROUND(x, y0_b, y0_z2);
  } else if (x < T(8)) {
    y = AROUND(x, y0_c, y0_z3);
  } else {
    y = hankel(x, 0, C(bessel_p0), C(bessel_q0)).s;
  }
  return y_special(x, y);
}
template <class T> INLINE T y1_t(T x) {
  T y;
  if (x < T(3.8)) {
    beside<T> b = beside_zero(x, C(y1_z1_0), C(y1_z1_1));
    T rest = b.gap.hi * (x + C(y1_z1_0)) * poly(x * x, C(y1_a)) / x;
    y = fma_(C(two_over_pi_0) * j1_t(x), b.log, rest);
  } else if (x < T(6.9)) {
    y = AROUND(x, y1_b, y1_z2);
  } else if (x < T(8)) {
    y = AROUND(x, y1_c, y1_z3);
  } else {
    y = hankel(x, 1, C(bessel_p1), C(bessel_q1)).s;
  }
  return y_special(x, y);
}
// e^a p, without overflow before its time.
template <class T> INLINE T exp_times(T a, T p) {
  scaled<T> e = exp_reduced(dd<T>{fmin_(a, exp_limit<T>::value), T(0)});
  return ldexp_(fma_(p, e.m.hi + e.m.lo, p), e.k);
}
template <class T> INLINE T i0_t(T x) {
  T a = abs_(x);
  T z = fmin_(a, T(8)) * fmin_(a, T(8));
  T y = fma_(z, poly(z, C(i0)), T(1));
  T s = T(8) / a;
  T tail = exp_times(a, poly(s - T(0.5), C(i0_tail)) / sqrt_(a));
  y = a > T(8) ? tail : y;
  return is_nan(x) ? x : is_inf(x) ? inf<T>() : y;
}
template <class T> INLINE T i1_t(T x) {
  T a = abs_(x);
  T z = fmin_(a, T(8)) * fmin_(a, T(8));
  T y = a * poly(z, C(i1));
  T s = T(8) / a;
  T tail = exp_times(a, poly(s - T(0.5), C(i1_tail)) / sqrt_(a));
  y = a > T(8) ? tail : y;
  return is_nan(x) ? x : is_inf(x) ? x : mulsign(y, x);
}

EXPORT1(j0, j0_t)
EXPORT1(j1, j1_t)
EXPORT1(y0, y0_t)
EXPORT1(y1, y1_t)
EXPORT1(i0, i0_t)
EXPORT1(i1, i1_t)
