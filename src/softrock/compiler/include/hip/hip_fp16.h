/* Part of softrock (MIT licence, see LICENSE). Half precision: __half, __half2 and the functions on them. */
#ifndef SOFTROCK_HIP_FP16_H
#define SOFTROCK_HIP_FP16_H

#if defined(__cplusplus)

#include "hip/hip_vector_types.h"
#include "hip/detail/half_convert.h"
#if defined(__SR_GPU__)
#include "hip/hip_runtime.h"
#endif

/* The device computes in its own half precision, the host in float: + - * / and sqrt come out the same either way, since a
 * float holds more than twice a half's digits. */
#if defined(__SR_DEVICE_PASS__)
#define SR_C _Float16
#define SR_D _Float16
#define SR_LOAD(bits) __builtin_bit_cast(_Float16, bits)
#define SR_STORE(value) __builtin_bit_cast(unsigned short, value)
#define SR_FROM_FLOAT(value) __builtin_bit_cast(unsigned short, (_Float16)(value))
#define SR_FROM_DOUBLE(value) (__sr_narrow<10, 15>(value, 0))
#define SR_FMA __builtin_elementwise_fma
#else
#define SR_C float
#define SR_D float
#define SR_LOAD(bits) __sr_widen_half(bits)
#define SR_STORE(value) (__sr_narrow<10, 15>(value, 0))
#define SR_FROM_FLOAT(value) (__sr_narrow<10, 15>(value, 0))
#define SR_FROM_DOUBLE(value) (__sr_narrow<10, 15>(value, 0))
#define SR_FMA(a, b, c) __sr_fma_of_halves(a, b, c)
#endif
#if defined(__clang__)
#define SR_NATIVE _Float16
#endif
#define SR_T __half
#define SR_T2 __half2
#define SR_RAW __half_raw
#define SR_RAW2 __half2_raw
#define SR_INFINITY 0x7c00u

#include "hip/detail/half_type.inc"
#include "hip/detail/half_operations.inc"
#include "hip/detail/half_functions.h"

#undef SR_C
#undef SR_D
#undef SR_LOAD
#undef SR_STORE
#undef SR_FROM_FLOAT
#undef SR_FROM_DOUBLE
#undef SR_FMA
#undef SR_NATIVE
#undef SR_T
#undef SR_T2
#undef SR_RAW
#undef SR_RAW2
#undef SR_INFINITY

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half nv_half;
typedef __half2 nv_half2;

#define HIPRT_INF_FP16 __ushort_as_half((unsigned short)0x7C00u)
#define HIPRT_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFu)
#define HIPRT_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001u)
#define HIPRT_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFu)
#define HIPRT_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000u)
#define HIPRT_ONE_FP16 __ushort_as_half((unsigned short)0x3C00u)
#define HIPRT_ZERO_FP16 __ushort_as_half((unsigned short)0x0000u)

#endif
#endif
