// Sine, cosine, tangent: argument reduction (Cody-Waite with double-word remainder; Payne-Hanek for large arguments)
// and kernels on [-pi/4, pi/4].
#pragma once
#include "base.h"

template <class T> struct reduced {
  dd<T> r;  // remainder, |r| <= pi/4 (a little more is allowed)
  int q;    // quadrant, only its low two bits count
};

// Product of a 24-bit mantissa and four 32-bit words of 2/pi, modulo 4, as a fraction with 62 bits.
INLINE reduced<float> reduce_large(float ax) {
  u32 b = as_bits(ax);
  u32 m = (b & 0x7fffffu) | 0x800000u;
  int e = (int)(b >> 23) - 150 + 32;  // a zero word stands before the table
  int k = (e - 2) >> 5, shift = 34 - (e - 32 * k);
  const auto word = [&](int i) { return i < 1 ? 0u : two_over_pi_word[i - 1]; };
  u64 p = (u64)m * word(k + 3);
  p = (u64)m * word(k + 2) + (p >> 32);
  u32 p1 = (u32)p;
  p = (u64)m * word(k + 1) + (p >> 32);
  u32 p2 = (u32)p;
  p = (u64)m * word(k) + (p >> 32);
  u64 high = ((p & 0xffffffffu) << 32) | p2;
  u64 f = (high << (32 - shift)) | ((u64)p1 >> shift);
  double r = (double)(i64)(f << 2) * 0x1.921fb54442d18p-64;  // pi/2 in units of 2^-64
  float hi = (float)r;
  return {{hi, (float)(r - (double)hi)}, (int)((f + (1ul << 61)) >> 62)};
}

INLINE reduced<double> reduce_large(double ax) {
  u64 b = as_bits(ax);
  u64 m = (b & 0xffffffffffffful) | 0x10000000000000ul;
  int e = (int)(b >> 52) - 1075 + 64;
  int k = (e - 2) >> 6, shift = 66 - (e - 64 * k);
  const auto word = [&](int i) {
    return i < 1 ? 0ul : ((u64)two_over_pi_word[2 * i - 2] << 32) | two_over_pi_word[2 * i - 1];
  };
  typedef unsigned __int128 u128;
  u128 p = (u128)m * word(k + 3);
  p = (u128)m * word(k + 2) + (u64)(p >> 64);
  u64 p1 = (u64)p;
  p = (u128)m * word(k + 1) + (u64)(p >> 64);
  u64 p2 = (u64)p;
  u64 p3 = m * word(k) + (u64)(p >> 64);
  int up = 64 - shift;  // 0..63
  u64 f1 = up ? (p3 << up) | (p2 >> shift) : p3;
  u64 f0 = up ? (p2 << up) | (p1 >> shift) : p2;
  // f1:f0 is the value modulo 4 with 126 fraction bits; make it a signed fraction of a quadrant.
  int q = (int)((f1 + (1ul << 61)) >> 62);
  u64 h = (f1 << 2) | (f0 >> 62), l = f0 << 2;
  u64 sign = (u64)((i64)h >> 63);
  h ^= sign;
  l ^= sign;
  int zeros = h ? __builtin_clzl(h) : 63;
  u64 top = zeros ? (h << zeros) | (l >> (64 - zeros)) : h;
  u64 next = l << zeros;
  double scale = ldexp_(1.0, -zeros);
  dd<double> t = {(double)(top >> 11) * 0x1p-53 * scale,
                  ((double)(top & 0x7ff) * 0x1p-64 + (double)(next >> 22) * 0x1p-106) * scale};
  dd<double> r = mul(dd<double>{coef<double>::half_pi_0, coef<double>::half_pi_1}, fast_two_sum(t.hi, t.lo));
  return {sign ? neg(r) : r, q};
}

template <class T> struct trig_limit;
template <> struct trig_limit<float> {
  static constexpr float value = 0x1p17f;
};
template <> struct trig_limit<double> {
  static constexpr double value = 0x1p26;
};

template <class T> INLINE reduced<T> trig_reduce(T x) {
  T ax = abs_(x);
  reduced<T> out;
  if (UNLIKELY(!(ax < trig_limit<T>::value))) {
    out = reduce_large(ax);
  } else {
    auto [n, q] = nearest_int(ax * C(two_over_pi_0));
    T a = fma_(-n, C(half_pi_0), ax);  // exact
    dd<T> p = two_prod(n, C(half_pi_1)), s = two_sum(a, -p.hi);
    out = {fast_two_sum(s.hi, s.lo - fma_(n, C(half_pi_2), p.lo)), q};
  }
  return out;
}

template <class T> struct sc {
  T s, c;
};
template <class T> INLINE T sin_kernel(dd<T> r) {
  T z = r.hi * r.hi;
  return r.hi + fma_(r.hi * z, poly(z, C(sin)), r.lo * fma_(T(-0.5), z, T(1)));
}
template <class T> INLINE T cos_kernel(dd<T> r) {
  T z = r.hi * r.hi, h = T(0.5) * z, w = T(1) - h;
  return w + (((T(1) - w) - h) + fma_(z * z, poly(z, C(cos)), -(r.hi * r.lo)));
}
// The same as pairs, for the tangent.
template <class T> INLINE dd<T> sin_pair(dd<T> r) {
  T z = r.hi * r.hi;
  return fast_two_sum(r.hi, fma_(r.hi * z, poly(z, C(sin)), r.lo * fma_(T(-0.5), z, T(1))));
}
template <class T> INLINE dd<T> cos_pair(dd<T> r) {
  T z = r.hi * r.hi, h = T(0.5) * z, h_lo = fma_(T(0.5) * r.hi, r.hi, -h);
  dd<T> w = fast_two_sum(T(1), -h);
  return fast_two_sum(w.hi, w.lo + (fma_(z * z, poly(z, C(cos)), -(r.hi * r.lo)) - h_lo));
}
template <class T> INLINE T tan_kernel(dd<T> r, bool odd) {
  dd<T> s = sin_pair(r), c = cos_pair(r);
  dd<T> t = div(odd ? c : s, odd ? neg(s) : c);
  return t.hi + t.lo;
}
template <class T> INLINE sc<T> rotate(sc<T> v, int q) {  // by q quadrants
  T s = q & 1 ? v.c : v.s, c = q & 1 ? v.s : v.c;
  return {q & 2 ? -s : s, (q + 1) & 2 ? -c : c};
}
template <class T> INLINE sc<T> sincos_t(T x) {
  reduced<T> a = trig_reduce(x);
  sc<T> v = rotate(sc<T>{sin_kernel(a.r), cos_kernel(a.r)}, a.q);
  T s = mulsign(v.s, x);
  s = abs_(x) < ldexp_(T(1), -(fp<T>::mantissa + 4) / 2) ? x : s;
  return {is_finite(x) ? s : nan<T>(), is_finite(x) ? v.c : nan<T>()};
}
template <class T> INLINE T sin_t(T x) { return sincos_t(x).s; }
template <class T> INLINE T cos_t(T x) { return sincos_t(x).c; }
template <class T> INLINE T tan_t(T x) {
  reduced<T> a = trig_reduce(x);
  T t = mulsign(tan_kernel(a.r, a.q & 1), x);
  t = abs_(x) < ldexp_(T(1), -(fp<T>::mantissa + 6) / 2) ? x : t;
  return is_finite(x) ? t : nan<T>();
}

// x pi: the reduction is exact.
template <class T> INLINE reduced<T> pi_reduce(T x) {
  T ax = abs_(x), t = ax - T(2) * floor_(T(0.5) * ax);
  T n = rint_(t + t), r = fma_(T(-0.5), n, t);
  int q = (int)n;
  dd<T> p = two_prod(r, C(pi_0));
  return {{p.hi, fma_(r, C(pi_1), p.lo)}, q};
}
template <class T> INLINE sc<T> sincospi_t(T x) {
  bool small = abs_(x) < ldexp_(T(1), -fp<T>::mantissa);
  T scale = small ? ldexp_(T(1), fp<T>::mantissa + 2) : T(1);  // keeps the low word of tiny products
  T t = x * scale;
  dd<T> p = two_prod(t, C(pi_0));
  T tiny = copysign_((p.hi + fma_(t, C(pi_1), p.lo)) * (T(1) / scale), x);
  reduced<T> a = pi_reduce(x);
  sc<T> v = rotate(sc<T>{sin_kernel(a.r), cos_kernel(a.r)}, a.q);
  T s = v.s == T(0) ? copysign_(T(0), x) : mulsign(v.s, x);
  T c = v.c == T(0) ? T(0) : v.c;
  s = small ? tiny : s;
  return {is_finite(x) ? s : nan<T>(), is_finite(x) ? c : nan<T>()};
}
template <class T> INLINE T sinpi_t(T x) { return sincospi_t(x).s; }
template <class T> INLINE T cospi_t(T x) { return sincospi_t(x).c; }
template <class T> INLINE T tanpi_t(T x) {
  reduced<T> a = pi_reduce(x);
  T t = mulsign(tan_kernel(a.r, a.q & 1), x);
  bool zero = a.r.hi == T(0);
  // tan(pi n) is +-0 with the sign of x times (-1)^n; tan(pi (n + 1/2)) is +-inf likewise (C23).
  T flip = a.q & 2 ? T(-1) : T(1);
  T pole = a.q & 1 ? inf<T>() : T(0);
  t = zero ? mulsign(copysign_(pole, flip), x) : t;
  t = abs_(x) < ldexp_(T(1), -fp<T>::mantissa) ? sincospi_t(x).s : t;
  return is_finite(x) ? t : nan<T>();
}
