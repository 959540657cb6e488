/* Part of softrock (MIT licence, see LICENSE). Entry points of the device mathematics library, under ROCm's OCML names:
 * __ocml_<function>_<f16|f32|f64>. The library is softrock's own (compiler/devlib). */
#ifndef SOFTROCK_HIP_OCML_H
#define SOFTROCK_HIP_OCML_H

#include "hip/detail/macros.h"

#if defined(__SR_GPU__)

/* The function tables: everything that is written twice below is written by walking one of these. */
#define __SR_OCML_UNARY(X) \
    X(acos) X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(cos) X(cosh) X(cospi) X(erf) X(erfc) X(erfcinv) \
    X(erfcx) X(erfinv) X(exp) X(exp10) X(exp2) X(expm1) X(i0) X(i1) X(j0) X(j1) X(lgamma) X(log) X(log10) X(log1p) \
    X(log2) X(logb) X(ncdf) X(ncdfinv) X(rcbrt) X(rsqrt) X(sin) X(sinh) X(sinpi) X(tan) X(tanh) X(tgamma) X(y0) X(y1)
#define __SR_OCML_BINARY(X) \
    X(atan2) X(fdim) X(fmod) X(hypot) X(nextafter) X(pow) X(remainder) X(rhypot)
#define __SR_OCML_HALF(X) X(cos) X(exp) X(exp10) X(exp2) X(log) X(log10) X(log2) X(rsqrt) X(sin) X(tanh)
#define __SR_OCML_NATIVE(X) X(cos) X(exp) X(exp10) X(log) X(log10) X(log2) X(sin)

#define __SR_PURE __attribute__((device, const))
#define __SR_PRIVATE __attribute__((address_space(5)))

extern "C" {
#define __SR_DECL(n) \
    __SR_PURE float __ocml_##n##_f32(float); \
    __SR_PURE double __ocml_##n##_f64(double);
__SR_OCML_UNARY(__SR_DECL)
#undef __SR_DECL
#define __SR_DECL(n) \
    __SR_PURE float __ocml_##n##_f32(float, float); \
    __SR_PURE double __ocml_##n##_f64(double, double);
__SR_OCML_BINARY(__SR_DECL)
#undef __SR_DECL
#define __SR_DECL(n) __SR_PURE _Float16 __ocml_##n##_f16(_Float16);
__SR_OCML_HALF(__SR_DECL)
#undef __SR_DECL
#define __SR_DECL(n) __SR_PURE float __ocml_native_##n##_f32(float);
__SR_OCML_NATIVE(__SR_DECL)
#undef __SR_DECL

#define __SR_DECL(T, s) \
    __SR_PURE T __ocml_pown_##s(T, int); \
    __SR_PURE int __ocml_ilogb_##s(T); \
    __SR_PURE T __ocml_len3_##s(T, T, T); \
    __SR_PURE T __ocml_len4_##s(T, T, T, T); \
    __SR_PURE T __ocml_rlen3_##s(T, T, T); \
    __SR_PURE T __ocml_rlen4_##s(T, T, T, T); \
    __attribute__((device)) T __ocml_sincos_##s(T, __SR_PRIVATE T *); \
    __attribute__((device)) T __ocml_sincospi_##s(T, __SR_PRIVATE T *); \
    __attribute__((device)) T __ocml_modf_##s(T, __SR_PRIVATE T *); \
    __attribute__((device)) T __ocml_remquo_##s(T, T, __SR_PRIVATE int *);
__SR_DECL(float, f32)
__SR_DECL(double, f64)
#undef __SR_DECL

/* Directed rounding: rtn towards minus infinity, rtp towards plus infinity, rtz towards zero. */
#define __SR_DECL(T, s, r) \
    __SR_PURE T __ocml_add_##r##_##s(T, T); \
    __SR_PURE T __ocml_sub_##r##_##s(T, T); \
    __SR_PURE T __ocml_mul_##r##_##s(T, T); \
    __SR_PURE T __ocml_div_##r##_##s(T, T); \
    __SR_PURE T __ocml_sqrt_##r##_##s(T); \
    __SR_PURE T __ocml_fma_##r##_##s(T, T, T);
#define __SR_DECL_ROUNDING(r) \
    __SR_DECL(float, f32, r) \
    __SR_DECL(double, f64, r) \
    __SR_PURE float __ocml_cvt##r##_f32_f64(double); \
    __SR_PURE float __ocml_cvt##r##_f32_s32(int); \
    __SR_PURE float __ocml_cvt##r##_f32_u32(unsigned int); \
    __SR_PURE float __ocml_cvt##r##_f32_s64(long); \
    __SR_PURE float __ocml_cvt##r##_f32_u64(unsigned long); \
    __SR_PURE double __ocml_cvt##r##_f64_s64(long); \
    __SR_PURE double __ocml_cvt##r##_f64_u64(unsigned long);
__SR_DECL_ROUNDING(rtn)
__SR_DECL_ROUNDING(rtp)
__SR_DECL_ROUNDING(rtz)
#undef __SR_DECL_ROUNDING
#undef __SR_DECL

/* The device heap. Addresses are integers; 0 says that there is no room. */
__attribute__((device)) unsigned long __ockl_dm_alloc(unsigned long size);
__attribute__((device)) void __ockl_dm_dealloc(unsigned long address);
}

#endif
#endif
