// Types, double-word arithmetic and the thin layer over compiler builtins that every family of the device library uses.
//
// The same sources compile for amdgcn (the product) and for the host (the accuracy tests). On the host the approximate
// hardware operations are replaced by exact results spoilt by up to one ulp, so that the tests bound what the real
// hardware may do.
#pragma once
#include "coefficients.h"

typedef _Float16 half;
typedef half half2 __attribute__((ext_vector_type(2)));
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef long i64;

#if defined(__AMDGCN__)
#define PRIVATE __attribute__((address_space(5)))
#define GLOBAL __attribute__((address_space(1)))
#define CONSTANT __attribute__((address_space(4)))
#else
#define PRIVATE
#define GLOBAL
#define CONSTANT
#endif

#define API extern "C" __attribute__((visibility("default")))
#define PURE API __attribute__((const))
#define INLINE static inline __attribute__((always_inline))
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

// ---- facts of a type ----------------------------------------------------------------------------------------------
template <class T> struct fp;
template <> struct fp<float> {
  typedef u32 bits;
  typedef int sbits;
  static constexpr int mantissa = 23, bias = 127;
  static constexpr float tiny = 0x1p-149f, smallest = 0x1p-126f, largest = 0x1.fffffep127f;
  static constexpr float overflow_exp = 0x1.62e43p6f, underflow_exp = -104.0f;
};
template <> struct fp<double> {
  typedef u64 bits;
  typedef i64 sbits;
  static constexpr int mantissa = 52, bias = 1023;
  static constexpr double tiny = 0x1p-1074, smallest = 0x1p-1022, largest = 0x1.fffffffffffffp1023;
  static constexpr double overflow_exp = 0x1.62e42fefa39efp9, underflow_exp = -746.0;
};
template <> struct fp<half> {
  typedef u16 bits;
  typedef short sbits;
  static constexpr int mantissa = 10, bias = 15;
};

template <class T> INLINE typename fp<T>::bits as_bits(T x) { return __builtin_bit_cast(typename fp<T>::bits, x); }
template <class T> INLINE T from_bits(typename fp<T>::bits b) { return __builtin_bit_cast(T, b); }
template <class T> struct lim {
  typedef typename fp<T>::bits B;
  static constexpr B sign = B(B(1) << (8 * sizeof(T) - 1));
  static constexpr B expo = B(B(2 * fp<T>::bias + 1) << fp<T>::mantissa);
  static constexpr B quiet = B(expo | B(B(1) << (fp<T>::mantissa - 1)));
};
template <class T> INLINE T inf() { return from_bits<T>(lim<T>::expo); }
template <class T> INLINE T nan() { return from_bits<T>(lim<T>::quiet); }

// ---- operations with one name for every type ----------------------------------------------------------------------
#define OVERLOAD1(name, builtin)                                             \
  INLINE float name(float x) { return __builtin_##builtin##f(x); }           \
  INLINE double name(double x) { return __builtin_##builtin(x); }            \
  INLINE half name(half x) { return __builtin_##builtin##f16(x); }
OVERLOAD1(abs_, fabs)
OVERLOAD1(rint_, rint)
OVERLOAD1(trunc_, trunc)
OVERLOAD1(floor_, floor)
OVERLOAD1(ceil_, ceil)
OVERLOAD1(round_, round)
INLINE float sqrt_(float x) { return __builtin_sqrtf(x); }
INLINE double sqrt_(double x) { return __builtin_sqrt(x); }
INLINE half sqrt_(half x) { return (half)__builtin_sqrtf((float)x); }
INLINE float fma_(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
INLINE double fma_(double a, double b, double c) { return __builtin_fma(a, b, c); }
INLINE float copysign_(float x, float y) { return __builtin_copysignf(x, y); }
INLINE double copysign_(double x, double y) { return __builtin_copysign(x, y); }
INLINE half copysign_(half x, half y) { return __builtin_copysignf16(x, y); }
INLINE float ldexp_(float x, int e) { return __builtin_ldexpf(x, e); }
INLINE double ldexp_(double x, int e) { return __builtin_ldexp(x, e); }
INLINE float fmax_(float x, float y) { return __builtin_fmaxf(x, y); }
INLINE double fmax_(double x, double y) { return __builtin_fmax(x, y); }
INLINE float fmin_(float x, float y) { return __builtin_fminf(x, y); }
INLINE double fmin_(double x, double y) { return __builtin_fmin(x, y); }

template <class T> INLINE bool is_nan(T x) { return x != x; }
template <class T> INLINE bool is_inf(T x) { return abs_(x) == inf<T>(); }
template <class T> INLINE bool is_finite(T x) { return (as_bits(x) & lim<T>::expo) != lim<T>::expo; }
template <class T> INLINE bool is_negative(T x) { return (as_bits(x) & lim<T>::sign) != 0; }
template <class T> INLINE T mulsign(T x, T y) { return from_bits<T>(as_bits(x) ^ (as_bits(y) & lim<T>::sign)); }

// The integer next to x, for |x| < 2^(mantissa - 1): what a large number takes in is in its lowest bits, which spares the
// conversion and its care for the ends of the range.
template <class T> struct nearest {
  T k;
  int n;
};
template <class T> INLINE nearest<T> nearest_int(T x) {
  constexpr T large = T(1.5) * T(1ul << fp<T>::mantissa);
  T t = x + large;
  return {t - large, (int)(as_bits(t) - as_bits(large))};
}

// x = m 2^e with 1/2 <= |m| < 1, for finite x != 0 (denormals included).
template <class T> struct parts {
  T m;
  int e;
};
template <class T> INLINE parts<T> split(T x) {
  typedef typename fp<T>::bits B;
  constexpr int m = fp<T>::mantissa;
  bool small = abs_(x) < fp<T>::smallest;
  B b = as_bits(small ? x * T(B(1) << m) : x);
  int e = (int)((b & lim<T>::expo) >> m) - (fp<T>::bias - 1) - (small ? m : 0);
  return {from_bits<T>((b & ~lim<T>::expo) | B(B(fp<T>::bias - 1) << m)), e};
}

// ---- approximate hardware operations ------------------------------------------------------------------------------
#if defined(__AMDGCN__)
INLINE float hw_rcp(float x) { return __builtin_amdgcn_rcpf(x); }
INLINE float hw_rsq(float x) { return __builtin_amdgcn_rsqf(x); }
INLINE float hw_exp2(float x) { return __builtin_amdgcn_exp2f(x); }
INLINE float hw_log2(float x) { return __builtin_amdgcn_logf(x); }
INLINE float hw_sqrt(float x) { return __builtin_amdgcn_sqrtf(x); }
INLINE float hw_sin(float turns) { return __builtin_amdgcn_sinf(turns); }
INLINE float hw_cos(float turns) { return __builtin_amdgcn_cosf(turns); }
INLINE double hw_rcp(double x) { return __builtin_amdgcn_rcp(x); }
INLINE double hw_rsq(double x) { return __builtin_amdgcn_rsq(x); }
#else
#include "host.h"
#endif

// ---- division and roots without the care for the ends of the range ------------------------------------------------
// For finite arguments whose reciprocal is a normal number; within 0.51 ulp except `reciprocal` of float (1 ulp). IEEE
// division costs three times as much.
INLINE float reciprocal(float d) { return hw_rcp(d); }
INLINE double reciprocal(double d) {
  double y = hw_rcp(d);
  y = fma_(y, fma_(-d, y, 1.0), y);
  return fma_(y, fma_(-d, y, 1.0), y);
}
template <class T> INLINE T divide(T a, T b) {
  T r = reciprocal(b), q = a * r;
  return fma_(fma_(-q, b, a), r, q);
}
template <class T> struct roots {
  T s, half_r;  // sqrt(x), 1/(2 sqrt(x)) nearly
};
INLINE float rough_rsq(float x) { return hw_rsq(x); }
INLINE double rough_rsq(double x) {
  double y = hw_rsq(x);
  return fma_(y * fma_(-x * y, y, 1.0), 0.5, y);
}
template <class T> INLINE roots<T> both_roots(T x) {  // x > 0, not near the ends of the range
  T y = rough_rsq(x), s = x * y, h = T(0.5) * y;
  return {fma_(fma_(-s, s, x), h, s), h};
}
template <class T> INLINE T root_of(T x) { return both_roots(x).s; }

// ---- polynomials --------------------------------------------------------------------------------------------------
template <class T, int N> INLINE T poly(T x, const T (&c)[N]) {
  T r = c[N - 1];
#pragma unroll
  for (int i = N - 2; i >= 0; --i) r = fma_(r, x, c[i]);
  return r;
}

// ---- double-word numbers: hi + lo with |lo| <= ulp(hi)/2 ----------------------------------------------------------
template <class T> struct dd {
  T hi, lo;
};
template <class T> INLINE dd<T> fast_two_sum(T a, T b) {  // |a| >= |b| or a == 0
  T s = a + b;
  return {s, b - (s - a)};
}
template <class T> INLINE dd<T> two_sum(T a, T b) {
  T s = a + b, t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}
template <class T> INLINE dd<T> two_prod(T a, T b) {
  T p = a * b;
  return {p, fma_(a, b, -p)};
}
template <class T> INLINE dd<T> neg(dd<T> a) { return {-a.hi, -a.lo}; }
template <class T> INLINE dd<T> add(dd<T> a, T b) {
  dd<T> s = two_sum(a.hi, b);
  return fast_two_sum(s.hi, s.lo + a.lo);
}
template <class T> INLINE dd<T> add(dd<T> a, dd<T> b) {
  dd<T> s = two_sum(a.hi, b.hi), t = two_sum(a.lo, b.lo);
  s = fast_two_sum(s.hi, s.lo + t.hi);
  return fast_two_sum(s.hi, s.lo + t.lo);
}
template <class T> INLINE dd<T> mul(dd<T> a, T b) {
  dd<T> p = two_prod(a.hi, b);
  return fast_two_sum(p.hi, fma_(a.lo, b, p.lo));
}
template <class T> INLINE dd<T> mul(dd<T> a, dd<T> b) {
  dd<T> p = two_prod(a.hi, b.hi);
  return fast_two_sum(p.hi, fma_(a.lo, b.hi, fma_(a.hi, b.lo, p.lo)));
}
template <class T> INLINE dd<T> div(dd<T> a, dd<T> b) {  // b.hi as `reciprocal` wants it
  T r = reciprocal(b.hi), q = a.hi * r;
  T rest = fma_(-q, b.hi, a.hi);  // exact
  return fast_two_sum(q, fma_(-q, b.lo, rest + a.lo) * r);
}
template <class T> INLINE dd<T> sqrt_dd(dd<T> a) {  // a.hi > 0
  roots<T> r = both_roots(a.hi);
  return fast_two_sum(r.s, (fma_(-r.s, r.s, a.hi) + a.lo) * r.half_r);
}
template <class T> INLINE dd<T> constant2(T hi, T lo) { return {hi, lo}; }
#define C(name) coef<T>::name
#define C2(name) dd<T>{coef<T>::name##_0, coef<T>::name##_1}

// ---- exported names -----------------------------------------------------------------------------------------------
// A half function is its float function rounded once; where that is not accurate enough the family says so itself.
#define EXPORT_2F16(name)                                                    \
  PURE half2 __ocml_##name##_2f16(half2 x) { return half2{__ocml_##name##_f16(x.x), __ocml_##name##_f16(x.y)}; }
#define EXPORT1(name, fn)                                                    \
  PURE float __ocml_##name##_f32(float x) { return fn(x); }                  \
  PURE double __ocml_##name##_f64(double x) { return fn(x); }                \
  PURE half __ocml_##name##_f16(half x) { return (half)fn((float)x); }       \
  EXPORT_2F16(name)
#define EXPORT2(name, fn)                                                    \
  PURE float __ocml_##name##_f32(float x, float y) { return fn(x, y); }      \
  PURE double __ocml_##name##_f64(double x, double y) { return fn(x, y); }   \
  PURE half __ocml_##name##_f16(half x, half y) { return (half)fn((float)x, (float)y); }
