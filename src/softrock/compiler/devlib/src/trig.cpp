// OCML exports: sine, cosine, tangent and their pi variants.
#include "trig.h"

template struct sc<float>;
template struct sc<double>;
template struct sc<half>;

EXPORT1(sin, sin_t)
EXPORT1(cos, cos_t)
EXPORT1(tan, tan_t)
EXPORT1(sinpi, sinpi_t)
EXPORT1(cospi, cospi_t)
EXPORT1(tanpi, tanpi_t)

#define EXPORT_SINCOS(name, fn)                                              \
  PURE sc<float> __ocml_##name##_stret_f32(float x) { return fn(x); }        \
  PURE sc<double> __ocml_##name##_stret_f64(double x) { return fn(x); }      \
  PURE sc<half> __ocml_##name##_stret_f16(half x) {                          \
    sc<float> v = fn((float)x);                                              \
    return {(half)v.s, (half)v.c};                                           \
  }                                                                          \
  API float __ocml_##name##_f32(float x, PRIVATE float *c) {                 \
    sc<float> v = fn(x);                                                     \
    *c = v.c;                                                                \
    return v.s;                                                              \
  }                                                                          \
  API double __ocml_##name##_f64(double x, PRIVATE double *c) {              \
    sc<double> v = fn(x);                                                    \
    *c = v.c;                                                                \
    return v.s;                                                              \
  }                                                                          \
  API half __ocml_##name##_f16(half x, PRIVATE half *c) {                    \
    sc<float> v = fn((float)x);                                              \
    *c = (half)v.c;                                                          \
    return (half)v.s;                                                        \
  }
EXPORT_SINCOS(sincos, sincos_t)
EXPORT_SINCOS(sincospi, sincospi_t)
