// native_*: the hardware's approximate operations as they are; denormals are flushed where the hardware flushes them.
#include "root.h"

constexpr float INV_TWO_PI = 0x1.45f306p-3f;

// The hardware takes turns and promises nothing beyond 256 of them; taking whole turns away is exact.
INLINE float turns(float x) {
  float t = x * INV_TWO_PI;
  return t - rint_(t);
}
INLINE float native_sin(float x) { return hw_sin(turns(x)); }
INLINE float native_cos(float x) { return hw_cos(turns(x)); }
INLINE float native_exp(float x) { return hw_exp2(x * coef<float>::log2e_0); }
INLINE float native_exp10(float x) { return hw_exp2(x * coef<float>::log2_10_0); }
INLINE float native_log(float x) { return hw_log2(x) * coef<float>::ln2_0; }
INLINE float native_log10(float x) { return hw_log2(x) * coef<float>::log10_2_0; }

#define EXPORT_NATIVE(name, fn)                                              \
  PURE float __ocml_native_##name##_f32(float x) { return fn(x); }           \
  PURE half __ocml_native_##name##_f16(half x) { return (half)fn((float)x); }
EXPORT_NATIVE(sin, native_sin)
EXPORT_NATIVE(cos, native_cos)
EXPORT_NATIVE(exp, native_exp)
EXPORT_NATIVE(exp2, hw_exp2)
EXPORT_NATIVE(exp10, native_exp10)
EXPORT_NATIVE(log, native_log)
EXPORT_NATIVE(log2, hw_log2)
EXPORT_NATIVE(log10, native_log10)
EXPORT_NATIVE(recip, hw_rcp)
EXPORT_NATIVE(rsqrt, hw_rsq)
EXPORT_NATIVE(sqrt, hw_sqrt)
// No hardware approximation is wide enough in double: these are the accurate ones.
PURE double __ocml_native_recip_f64(double x) { return 1.0 / x; }
PURE double __ocml_native_sqrt_f64(double x) { return sqrt_(x); }
PURE double __ocml_native_rsqrt_f64(double x) { return rsqrt_t(x); }
