/* Part of softrock (MIT licence, see LICENSE). hip_bfloat16, HIP's older bfloat16 type: storage and conversion, arithmetic
 * through float. New code uses hip_bf16.h. */
#ifndef SOFTROCK_HIP_BFLOAT16_H
#define SOFTROCK_HIP_BFLOAT16_H

#include "hip/detail/integers.h"

#if !defined(__cplusplus)
typedef struct {
    uint16_t data;
} hip_bfloat16;
#else

#include "hip/hip_bf16.h"

struct hip_bfloat16 {
    uint16_t data;
    enum truncate_t { truncate };

    hip_bfloat16() = default;
    __SR_HOST_DEVICE explicit hip_bfloat16(float f) : data(__sr_float_to_bfloat(f)) {}
    /* Rounded towards zero. */
    __SR_HOST_DEVICE explicit hip_bfloat16(float f, truncate_t) : data(__sr_narrow<7, 127>(f, 3)) {}
    __SR_HOST_DEVICE operator float() const { return __sr_widen_bfloat(data); }
    __SR_HOST_DEVICE hip_bfloat16 &operator=(float f) { return data = __sr_float_to_bfloat(f), *this; }
    static __SR_HOST_DEVICE hip_bfloat16 round_to_bfloat16(float f) { return hip_bfloat16(f); }
    static __SR_HOST_DEVICE hip_bfloat16 round_to_bfloat16(float f, truncate_t t) { return hip_bfloat16(f, t); }
    explicit __SR_HOST_DEVICE operator bool() const { return (data & 0x7fffu) != 0; }
};

#define __SR_OP(op) \
    __SR_HOST_DEVICE_INLINE hip_bfloat16 operator op(hip_bfloat16 a, hip_bfloat16 b) { \
        return hip_bfloat16(float(a) op float(b)); } \
    __SR_HOST_DEVICE_INLINE hip_bfloat16 &operator op##=(hip_bfloat16 &a, hip_bfloat16 b) { return a = a op b; }
__SR_OP(+)
__SR_OP(-)
__SR_OP(*)
__SR_OP(/)
#undef __SR_OP
#define __SR_OP(op) \
    __SR_HOST_DEVICE_INLINE bool operator op(hip_bfloat16 a, hip_bfloat16 b) { return float(a) op float(b); }
__SR_OP(<)
__SR_OP(<=)
__SR_OP(>)
__SR_OP(>=)
__SR_OP(==)
__SR_OP(!=)
#undef __SR_OP
__SR_HOST_DEVICE_INLINE hip_bfloat16 operator-(hip_bfloat16 a) { return a.data ^= 0x8000u, a; }
__SR_HOST_DEVICE_INLINE hip_bfloat16 operator+(hip_bfloat16 a) { return a; }
__SR_HOST_DEVICE_INLINE hip_bfloat16 &operator++(hip_bfloat16 &a) { return a += hip_bfloat16(1.0f); }
__SR_HOST_DEVICE_INLINE hip_bfloat16 &operator--(hip_bfloat16 &a) { return a -= hip_bfloat16(1.0f); }

namespace std {
__SR_HOST_DEVICE_INLINE bool isinf(hip_bfloat16 a) { return (a.data & 0x7fffu) == 0x7f80u; }
__SR_HOST_DEVICE_INLINE bool isnan(hip_bfloat16 a) { return (a.data & 0x7fffu) > 0x7f80u; }
__SR_HOST_DEVICE_INLINE bool iszero(hip_bfloat16 a) { return (a.data & 0x7fffu) == 0; }
} // namespace std

#endif
#endif
