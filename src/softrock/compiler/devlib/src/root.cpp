// OCML exports: roots and lengths.
#include "root.h"

EXPORT1(sqrt, sqrt_)
EXPORT1(rsqrt, rsqrt_t)
EXPORT1(cbrt, cbrt_t)
EXPORT1(rcbrt, rcbrt_t)
EXPORT2(hypot, hypot_t)
EXPORT2(rhypot, rhypot_t)

#define EXPORT_LENGTHS(suffix, type, work)                                                              \
  PURE type __ocml_len3_##suffix(type a, type b, type c) {                                              \
    return (type)length((work)a, (work)b, (work)c);                                            \
  }                                                                                                     \
  PURE type __ocml_len4_##suffix(type a, type b, type c, type d) {                                      \
    return (type)length((work)a, (work)b, (work)c, (work)d);                                   \
  }                                                                                                     \
  PURE type __ocml_rlen3_##suffix(type a, type b, type c) {                                             \
    return (type)rlength((work)a, (work)b, (work)c);                                           \
  }                                                                                                     \
  PURE type __ocml_rlen4_##suffix(type a, type b, type c, type d) {                                     \
    return (type)rlength((work)a, (work)b, (work)c, (work)d);                                  \
  }
EXPORT_LENGTHS(f32, float, float)
EXPORT_LENGTHS(f64, double, double)
EXPORT_LENGTHS(f16, half, float)
