// Exponentials and logarithms. exp: Cody-Waite reduction to |r| <= ln2/2 and a polynomial for (e^r - 1 - r)/r^2.
// log: x = 2^k m, m in [sqrt(1/2), sqrt 2), log m = 2 atanh(s) with s = (m-1)/(m+1).
#pragma once
#include "base.h"

template <class T> struct scaled {
  dd<T> m;  // not yet normalised: m.hi + m.lo
  int k;
};

template <class T> struct exp_limit;
template <> struct exp_limit<float> {
  static constexpr float value = 160.0f;
};
template <> struct exp_limit<double> {
  static constexpr double value = 1300.0;
};
// Compares and choices rather than minimum and maximum, which have rules for NaN and -0 to keep; a NaN stays one.
template <class T> INLINE T clamp(T x, T low, T high) {
  T y = x < low ? low : x;
  return y > high ? high : y;
}
template <class T> INLINE T clamp(T x, T limit) { return clamp(x, -limit, limit); }

// e^(r.hi + r.lo) - 1 for |r.hi| <= ln2/2, as an unnormalised pair.
template <class T> INLINE dd<T> expm1_kernel(dd<T> r) {
  T p = poly(r.hi, C(exp));
  return {r.hi, fma_(r.hi * r.hi, p, r.lo)};
}
// e^a = 2^k (1 + m), |a.hi| bounded by exp_limit.
template <class T> INLINE scaled<T> exp_reduced(dd<T> a) {
  auto [k, n] = nearest_int(a.hi * C(log2e_0));
  // The first product is exact; normalising keeps r.lo so small that e^r.lo - 1 = r.lo.
  dd<T> r = fast_two_sum(fma_(-k, C(ln2_0), a.hi), fma_(-k, C(ln2_1), a.lo));
  return {expm1_kernel(r), n};
}
template <class T> INLINE T exp_of(dd<T> a) {  // a.hi within exp_limit
  scaled<T> e = exp_reduced(a);
  return ldexp_(T(1) + (e.m.hi + e.m.lo), e.k);
}
// e^a as a normalised pair times 2^k; relative error about 2^-(p+4).
template <class T> INLINE scaled<T> exp_pair(dd<T> a) {
  scaled<T> e = exp_reduced(a);
  dd<T> s = fast_two_sum(T(1), e.m.hi);
  return {fast_two_sum(s.hi, s.lo + e.m.lo), e.k};
}

// e^a / 2, so that hyperbolic functions reach the end of the range.
template <class T> INLINE T half_exp(T a) {
  scaled<T> e = exp_reduced(dd<T>{a, T(0)});
  return ldexp_(T(1) + (e.m.hi + e.m.lo), e.k - 1);
}

template <class T> INLINE T exp_t(T x) {
  T y = exp_of(dd<T>{clamp(x, exp_limit<T>::value), T(0)});
  return is_nan(x) ? x : y;
}
template <class T> INLINE T exp2_t(T x) {
  T c = clamp(x, T(exp_limit<T>::value * T(1.5)));
  auto [k, n] = nearest_int(c);
  T r = c - k;
  dd<T> t = two_prod(r, C(ln2_0));
  dd<T> m = expm1_kernel(dd<T>{t.hi, fma_(r, C(ln2_1), t.lo)});
  T y = ldexp_(T(1) + (m.hi + m.lo), n);
  return is_nan(x) ? x : y;
}
template <class T> INLINE T exp10_t(T x) {
  T c = clamp(x, T(exp_limit<T>::value * T(0.5)));
  auto [k, n] = nearest_int(c * C(log2_10_0));
  dd<T> r = fast_two_sum(fma_(-k, C(log10_2_0), c), -k * C(log10_2_1));
  dd<T> t = mul(C2(ln10), r.hi);
  dd<T> m = expm1_kernel(dd<T>{t.hi, fma_(r.lo, C(ln10_0), t.lo)});
  T y = ldexp_(T(1) + (m.hi + m.lo), n);
  return is_nan(x) ? x : y;
}
// In float one word is enough for a result within an ulp.
INLINE float exp_t(float x) {
  typedef coef<float> K;
  float c = clamp(x, -104.0f, 89.0f);
  auto [k, n] = nearest_int(c * K::log2e_0);
  float r = fma_(k, -K::ln2_1, fma_(k, -K::ln2_0, c));  // the inner one is exact
  float y = fma_(r * r, poly(r, K::exp), r) + 1.0f;
  return ldexp_(y, n);
}
// e^x - 1 as a normalised pair; x within exp_limit/2 and 2^k finite.
template <class T> INLINE dd<T> expm1_pair(dd<T> a) {
  scaled<T> e = exp_reduced(a);
  T two_k = ldexp_(T(1), e.k);
  dd<T> b = two_sum(two_k, T(-1)), s = two_sum(b.hi, two_k * e.m.hi);
  dd<T> r = fast_two_sum(s.hi, s.lo + fma_(two_k, e.m.lo, b.lo));
  return e.k == 0 ? fast_two_sum(e.m.hi, e.m.lo) : r;
}
template <class T> INLINE T expm1_t(T x) {
  constexpr T top = fp<T>::overflow_exp - T(0.7);
  dd<T> r = expm1_pair(dd<T>{fmin_(fmax_(x, T(-50)), top), T(0)});
  T y = r.hi + r.lo;
  if (UNLIKELY(x > top)) y = exp_t(x);
  y = abs_(x) < ldexp_(T(1), -fp<T>::mantissa - 2) ? x : y;
  return is_nan(x) ? x : y;
}

// ---- logarithms ---------------------------------------------------------------------------------------------------
// log(1 + f) for 1 + f in [sqrt(1/2), sqrt 2): pair with error well under an ulp of hi.
template <class T> INLINE dd<T> log1p_kernel(T f) {
  T s = f * reciprocal(T(2) + f), z = s * s;
  T h = T(0.5) * f * f, h_lo = fma_(T(0.5) * f, f, -h);
  // 2 atanh s = f - f^2/2 + s (f^2/2 + R), where R = 2 z (atanh(s)/s - 1).
  T t = s * (h + T(2) * z * poly(z, C(log)));
  dd<T> a = fast_two_sum(f, -h);
  return fast_two_sum(a.hi, a.lo + (t - h_lo));
}
template <class T> INLINE parts<T> log_split(T x) {
  parts<T> p = split(x);
  bool low = p.m < C(sqrt_half_0);
  return {low ? p.m + p.m : p.m, low ? p.e - 1 : p.e};
}
template <class T> INLINE T log_special(T x, T y) {  // one choice a statement: nested ones become branches
  T usual = x < inf<T>() ? y : x;
  T edge = x == T(0) ? -inf<T>() : nan<T>();
  return x > T(0) ? usual : edge;
}
// log x for finite x > 0 as a pair, a few bits better than the type.
template <class T> INLINE dd<T> log_pair(T x) {
  parts<T> p = log_split(x);
  T k = (T)p.e;
  dd<T> l = log1p_kernel(p.m - T(1)), b = two_prod(k, C(ln2_0));
  dd<T> s = fast_two_sum(b.hi, l.hi);
  return {s.hi, s.lo + (l.lo + fma_(k, C(ln2_1), b.lo))};
}
template <class T> INLINE T log_t(T x) {
  parts<T> p = log_split(x);
  T k = (T)p.e, f = p.m - T(1), s = f * reciprocal(T(2) + f), z = s * s, h = T(0.5) * f * f;
  T t = fma_(s, fma_(T(2) * z, poly(z, C(log)), h), k * C(ln2_1));
  return log_special(x, fma_(k, C(ln2_0), f - (h - t)));
}
// In float: log(1 + f) by a polynomial in f, which costs less than a quotient.
INLINE float log_t(float x) {
  typedef coef<float> K;
  constexpr u32 root = 0x3f3504f3;  // sqrt(1/2)
  bool small = x < fp<float>::smallest;
  u32 b = as_bits(small ? x * 0x1p23f : x) - root;
  float k = (float)(((int)b >> 23) - (small ? 23 : 0));
  float f = from_bits<float>((b & 0x7fffffu) + root) - 1.0f, z = f * f;
  float t = fma_(-0.5f, z, fma_(f * z, poly(f, K::log1p), k * K::ln2_1));
  return fma_(log_special(x, k), K::ln2_0, f + t);
}
template <class T> INLINE T log2_t(T x) {
  parts<T> p = log_split(x);
  dd<T> g = log1p_kernel(p.m - T(1)), l = two_prod(g.hi, C(log2e_0));
  l.lo += fma_(g.hi, C(log2e_1), g.lo * C(log2e_0));
  dd<T> s = fast_two_sum((T)p.e, l.hi);
  return log_special(x, s.hi + (s.lo + l.lo));
}
template <class T> INLINE T log10_t(T x) {
  parts<T> p = log_split(x);
  T k = (T)p.e;
  dd<T> g = log1p_kernel(p.m - T(1)), l = two_prod(g.hi, C(log10e_0)), b = two_prod(k, C(log10_2_0));
  l.lo += fma_(g.hi, C(log10e_1), g.lo * C(log10e_0));
  dd<T> s = fast_two_sum(b.hi, l.hi);
  return log_special(x, s.hi + (s.lo + (l.lo + fma_(k, C(log10_2_1), b.lo))));
}
// log(1 + a.hi + a.lo) for a > -1, as a pair.
template <class T> INLINE dd<T> log1p_pair(dd<T> a) {
  dd<T> u = two_sum(T(1), a.hi);
  parts<T> p = log_split(u.hi);
  bool near = p.e == 0;
  T rest = u.lo + a.lo;
  T f = near ? a.hi : p.m - T(1), c = near ? a.lo : ldexp_(rest, -p.e);
  dd<T> l = log1p_kernel(f);
  T k = (T)p.e;
  dd<T> b = two_prod(k, C(ln2_0)), s = fast_two_sum(b.hi, l.hi);
  T correction = c * reciprocal(T(1) + f);
  return fast_two_sum(s.hi, s.lo + (l.lo + (correction + fma_(k, C(ln2_1), b.lo))));
}
template <class T> INLINE T log1p_t(T x) {
  dd<T> l = log1p_pair(dd<T>{x, T(0)});
  T y = l.hi + l.lo;
  y = x == T(-1) ? -inf<T>() : x < T(-1) ? nan<T>() : x < inf<T>() ? y : x;
  return abs_(x) < ldexp_(T(1), -fp<T>::mantissa - 2) ? x : y;
}
// log x for finite x > 0 as a pair with relative error of about 2^-64 in double and 2^-30 in float: what pow needs, where
// it is multiplied by up to 745 and 104.
INLINE dd<float> log_accurate(float x) {
  typedef float T;
  parts<float> p = log_split(x);
  float f = p.m - 1.0f, k = (float)p.e;
  dd<float> d = fast_two_sum(2.0f, f);
  float r = hw_rcp(d.hi), s = f * r;
  dd<float> a = fast_two_sum(s, fma_(-s, d.lo, fma_(-s, d.hi, f)) * r);
  dd<float> z = two_prod(a.hi, a.hi);
  float q = fma_(z.hi, poly(z.hi, C(log_tail)), C(third_0));
  dd<float> u = two_prod(z.hi, q), v = two_prod(a.hi, u.hi);
  v.lo = fma_(a.hi, fma_(z.lo, q, u.lo), v.lo);
  dd<float> m = fast_two_sum(2.0f * a.hi, 2.0f * v.hi);
  m.lo += 2.0f * (a.lo + v.lo);
  dd<float> b = two_prod(k, C(ln2_0)), t = fast_two_sum(b.hi, m.hi);
  return fast_two_sum(t.hi, t.lo + (m.lo + fma_(k, C(ln2_1), b.lo)));
}
INLINE dd<double> log_accurate(double x) {
  typedef double T;
  parts<T> p = log_split(x);
  T f = p.m - T(1), k = (T)p.e;
  dd<T> s = div(dd<T>{f, T(0)}, fast_two_sum(T(2), f));
  dd<T> z = mul(s, s);
  dd<T> w = mul(z, add(C2(third), z.hi * poly(z.hi, C(log_tail))));
  dd<T> two_s = {s.hi + s.hi, s.lo + s.lo};
  dd<T> m = add(two_s, mul(two_s, w));
  return add(mul(C2(ln2), k), m);
}
