/* Part of softrock (MIT licence, see LICENSE). Complex numbers as float2 and double2 (x real, y imaginary). */
#ifndef SOFTROCK_HIP_COMPLEX_H
#define SOFTROCK_HIP_COMPLEX_H

#include "hip/hip_vector_types.h"
#if defined(__cplusplus)
#include "hip/detail/prelude.h"
#endif
#if !defined(__HIPCC_RTC__)
#include <math.h>
#endif

typedef float2 hipFloatComplex;
typedef double2 hipDoubleComplex;
typedef hipFloatComplex hipComplex;

#define __SR_F __SR_HOST_DEVICE_INLINE
/* C is the type, T its part's; s is the f or nothing that ends C's mathematics functions. */
#define __SR_COMPLEX(C, T, make, real, imag, conj, add, sub, mul, div, abs, square, fma_name, s) \
    __SR_F C make(T a, T b) { C z; z.x = a; z.y = b; return z; } \
    __SR_F T real(C z) { return z.x; } \
    __SR_F T imag(C z) { return z.y; } \
    __SR_F C conj(C z) { z.y = -z.y; return z; } \
    __SR_F C add(C p, C q) { return make(p.x + q.x, p.y + q.y); } \
    __SR_F C sub(C p, C q) { return make(p.x - q.x, p.y - q.y); } \
    __SR_F C mul(C p, C q) { return make(p.x * q.x - p.y * q.y, p.x * q.y + p.y * q.x); } \
    /* Scaled by the larger part of the divisor, so that squares do not overflow (Smith's method). */ \
    __SR_F C div(C p, C q) { \
        const T ax = q.x < 0 ? -q.x : q.x, ay = q.y < 0 ? -q.y : q.y; \
        if (ax >= ay) { \
            const T r = q.y / q.x, d = q.x + r * q.y; \
            return make((p.x + p.y * r) / d, (p.y - p.x * r) / d); \
        } \
        const T r = q.x / q.y, d = q.y + r * q.x; \
        return make((p.x * r + p.y) / d, (p.y * r - p.x) / d); } \
    __SR_F T abs(C z) { return hypot##s(z.x, z.y); } \
    __SR_F T square(C z) { return z.x * z.x + z.y * z.y; } \
    __SR_F C fma_name(C p, C q, C r) { \
        return make(fma##s(p.x, q.x, fma##s(-p.y, q.y, r.x)), fma##s(p.x, q.y, fma##s(p.y, q.x, r.y))); }
__SR_COMPLEX(hipFloatComplex, float, make_hipFloatComplex, hipCrealf, hipCimagf, hipConjf, hipCaddf, hipCsubf, hipCmulf,
             hipCdivf, hipCabsf, hipCsqabsf, hipCfmaf, f)
__SR_COMPLEX(hipDoubleComplex, double, make_hipDoubleComplex, hipCreal, hipCimag, hipConj, hipCadd, hipCsub, hipCmul,
             hipCdiv, hipCabs, hipCsqabs, hipCfma, )
#undef __SR_COMPLEX
__SR_F hipComplex make_hipComplex(float x, float y) { return make_hipFloatComplex(x, y); }
__SR_F hipFloatComplex hipComplexDoubleToFloat(hipDoubleComplex z) {
    return make_hipFloatComplex((float)z.x, (float)z.y);
}
__SR_F hipDoubleComplex hipComplexFloatToDouble(hipFloatComplex z) { return make_hipDoubleComplex(z.x, z.y); }
#undef __SR_F

#endif
