// Host stand-ins for the approximate hardware operations (accuracy tests only): the true result moved by -1, 0 or +1
// ulp, chosen by a hash of the argument.
#pragma once
extern "C" double exp2(double);
extern "C" double log2(double);
extern "C" double sin(double);
extern "C" double cos(double);

INLINE float spoilt(double truth, float x) {
  float y = (float)truth;
  if (!(__builtin_fabsf(y) > 0x1p-126f) || __builtin_fabsf(y) > 0x1p127f || (double)y == truth) return y;
  u32 h = __builtin_bit_cast(u32, x) * 2654435761u;
  return __builtin_bit_cast(float, __builtin_bit_cast(u32, y) + (h >> 30) % 3 - 1);
}
// The double forms are good to about 2^-24 only, as the hardware's are.
INLINE double blurred(double truth, double x) {
  u64 h = __builtin_bit_cast(u64, x) * 0x9e3779b97f4a7c15ul;
  return truth * (1.0 + ((double)(i64)h * 0x1p-63) * 0x1p-24);
}
INLINE float flushed(float x) { return __builtin_fabsf(x) < 0x1p-126f ? __builtin_copysignf(0.0f, x) : x; }
INLINE float hw_rcp(float x) { return flushed(spoilt(1.0 / (double)flushed(x), x)); }
INLINE float hw_rsq(float x) { return spoilt(1.0 / __builtin_sqrt((double)flushed(x)), x); }
INLINE float hw_exp2(float x) { return flushed(spoilt(exp2((double)x), x)); }
INLINE float hw_log2(float x) { return spoilt(log2((double)flushed(x)), x); }
INLINE float hw_sqrt(float x) { return spoilt(__builtin_sqrt((double)x), x); }
INLINE float hw_sin(float turns) { return (float)sin(6.283185307179586 * turns); }
INLINE float hw_cos(float turns) { return (float)cos(6.283185307179586 * turns); }
INLINE double hw_rcp(double x) { return blurred(1.0 / x, x); }
INLINE double hw_rsq(double x) { return blurred(1.0 / __builtin_sqrt(x), x); }

// Double to half in one rounding, which x86 lacks (the compiler calls it by this name): truncate to float with a sticky
// last bit, which is then rounded correctly.
extern "C" inline __attribute__((used, visibility("hidden"))) half __truncdfhf2(double x) {
  float f = (float)x;
  if ((double)f != x && x == x) {
    u32 b = __builtin_bit_cast(u32, f);
    if (__builtin_fabs((double)f) > __builtin_fabs(x)) --b;
    f = __builtin_bit_cast(float, b | 1u);
  }
  return (half)f;
}
