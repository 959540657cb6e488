/* Atomics, a lane at a time in lane order. Device memory is shared by host threads, so each lane is a host atomic; LDS belongs to one
 * thread, so there plain operations do. Operation numbers are shared with lift/semantics/atomics.py. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "sr_wave.h"

enum {
    SWAP, CMPSWAP, ADD, SUB, RSUB, SMIN, UMIN, SMAX, UMAX, AND, OR, XOR, INC, DEC,
    FADD, FMIN, FMAX, PK_ADD_F16, PK_ADD_BF16, COND_SUB, SUB_CLAMP, MSKOR, FCMPSWAP,
};

#define EACH_LANE(mask, i) for (uint64_t m_ = (mask); m_; m_ &= m_ - 1) for (uint32_t i = (uint32_t)__builtin_ctzll(m_), once_ = 1; once_; once_ = 0)

static float f32_of(uint32_t v) { float f; memcpy(&f, &v, 4); return f; }
static uint32_t bits_of_f32(float f) { uint32_t v; memcpy(&v, &f, 4); return v; }
static double f64_of(uint64_t v) { double f; memcpy(&f, &v, 8); return f; }
static uint64_t bits_of_f64(double f) { uint64_t v; memcpy(&v, &f, 8); return v; }

static float f16_to_f32(uint32_t h)
{
    uint32_t sign = (h & 0x8000) << 16, e = h >> 10 & 31, m = h & 0x3ff;
    if (e == 31)
        return f32_of(sign | 0x7f800000 | m << 13);
    if (e == 0)
        return (sign ? -1.0f : 1.0f) * (float)m * 0x1p-24f;
    return f32_of(sign | (e + 112) << 23 | m << 13);
}

static uint32_t f32_to_f16(float f)
{
    uint32_t v = bits_of_f32(f), sign = v >> 16 & 0x8000, a = v & 0x7fffffff;
    if (a > 0x7f800000)
        return sign | 0x7e00 | (a >> 13 & 0x1ff);
    if (a >= 0x47800000)
        return sign | 0x7c00;
    if (a < 0x38800000) {
        /* A denormal half: let the float adder round at 2^-24. */
        float r = f32_of(a) + 0.5f;
        return sign | (bits_of_f32(r) - 0x3f000000);
    }
    a += 0xfff + (a >> 13 & 1);
    return sign | (a - 0x38000000) >> 13;
}

static uint32_t f32_to_bf16(float f)
{
    uint32_t v = bits_of_f32(f);
    if ((v & 0x7fffffff) > 0x7f800000)
        return v >> 16 | 0x40;
    return (v + 0x7fff + (v >> 16 & 1)) >> 16;
}

static uint32_t pk_add_f16(uint32_t a, uint32_t b)
{
    return f32_to_f16(f16_to_f32(a & 0xffff) + f16_to_f32(b & 0xffff)) |
           f32_to_f16(f16_to_f32(a >> 16) + f16_to_f32(b >> 16)) << 16;
}

static uint32_t pk_add_bf16(uint32_t a, uint32_t b)
{
    return f32_to_bf16(f32_of(a << 16) + f32_of(b << 16)) |
           f32_to_bf16(f32_of(a & 0xffff0000) + f32_of(b & 0xffff0000)) << 16;
}

/* Numbers win over NaN and -0 is below +0 (IEEE 754-2019 minimumNumber, maximumNumber). */
#define FMINMAX(name, T, order) \
    static T name(T a, T b) \
    { \
        if (a != a) \
            return b; \
        if (b != b) \
            return a; \
        if (a == b) \
            return (__builtin_signbit(a) != 0) == (order) ? a : b; \
        return (a < b) == (order) ? a : b; \
    }
FMINMAX(min_f32, float, 1)
FMINMAX(max_f32, float, 0)
FMINMAX(min_f64, double, 1)
FMINMAX(max_f64, double, 0)

/* What both widths share; S is the signed type. */
#define INTEGER_CASES(S) \
    case SWAP: return d; \
    case CMPSWAP: return old == c ? d : old; \
    case ADD: return old + d; \
    case SUB: return old - d; \
    case RSUB: return d - old; \
    case SMIN: return (S)old < (S)d ? old : d; \
    case UMIN: return old < d ? old : d; \
    case SMAX: return (S)old > (S)d ? old : d; \
    case UMAX: return old > d ? old : d; \
    case AND: return old & d; \
    case OR: return old | d; \
    case XOR: return old ^ d; \
    case INC: return old >= d ? 0 : old + 1; \
    case DEC: return old == 0 || old > d ? d : old - 1;
#define FLOAT_CASES(f) \
    case FADD: return bits_of_##f(f##_of(old) + f##_of(d)); \
    case FMIN: return bits_of_##f(min_##f(f##_of(old), f##_of(d))); \
    case FMAX: return bits_of_##f(max_##f(f##_of(old), f##_of(d))); \
    case FCMPSWAP: return f##_of(old) == f##_of(c) ? d : old;

static uint32_t apply32(uint32_t op, uint32_t old, uint32_t d, uint32_t c)
{
    switch (op) {
    INTEGER_CASES(int32_t)
    FLOAT_CASES(f32)
    case PK_ADD_F16: return pk_add_f16(old, d);
    case PK_ADD_BF16: return pk_add_bf16(old, d);
    case COND_SUB: return old >= d ? old - d : old;
    case SUB_CLAMP: return old >= d ? old - d : 0;
    default: return (old & ~d) | c; /* MSKOR: d is the mask, c the data */
    }
}

static uint64_t apply64(uint32_t op, uint64_t old, uint64_t d, uint64_t c)
{
    switch (op) {
    INTEGER_CASES(int64_t)
    FLOAT_CASES(f64)
    default: return (old & ~d) | c;
    }
}

/* One host atomic where x86 has the operation, else a compare-and-swap loop. */
#define ATOMIC(T, apply) \
    static T atomic_##T(uint32_t op, T *p, T d, T c) \
    { \
        switch (op) { \
        case SWAP: return __atomic_exchange_n(p, d, __ATOMIC_SEQ_CST); \
        case ADD: return __atomic_fetch_add(p, d, __ATOMIC_SEQ_CST); \
        case SUB: return __atomic_fetch_sub(p, d, __ATOMIC_SEQ_CST); \
        case CMPSWAP: __atomic_compare_exchange_n(p, &c, d, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); return c; \
        default: break; \
        } \
        T old = __atomic_load_n(p, __ATOMIC_RELAXED); \
        while (!__atomic_compare_exchange_n(p, &old, apply(op, old, d, c), 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) \
            ; \
        return old; \
    }
ATOMIC(uint32_t, apply32)
ATOMIC(uint64_t, apply64)

/* out may be NULL. `local` says that the memory is LDS. data, cmp and out have one u32 a lane. */
void sr_atomic32(uint32_t op, const uint64_t *addr, uint64_t mask, const uint32_t *data, const uint32_t *cmp, uint32_t *out, uint32_t local)
{
    EACH_LANE(mask, i) {
        uint32_t *p = (uint32_t *)addr[i], d = data ? data[i] : 0, c = cmp ? cmp[i] : 0, old;
        if (local) {
            memcpy(&old, p, 4);
            uint32_t now = apply32(op, old, d, c);
            memcpy(p, &now, 4);
        } else {
            old = atomic_uint32_t(op, p, d, c);
        }
        if (out)
            out[i] = old;
    }
}

/* As above with 64-bit values: low halves in [0, lanes), high halves in [lanes, 2 * lanes). */
void sr_atomic64(uint32_t op, const uint64_t *addr, uint64_t mask, const uint32_t *data, const uint32_t *cmp, uint32_t *out, uint32_t local, uint32_t lanes)
{
    EACH_LANE(mask, i) {
        uint64_t *p = (uint64_t *)addr[i], old;
        uint64_t d = data ? data[i] | (uint64_t)data[lanes + i] << 32 : 0, c = cmp ? cmp[i] | (uint64_t)cmp[lanes + i] << 32 : 0;
        if (local) {
            memcpy(&old, p, 8);
            uint64_t now = apply64(op, old, d, c);
            memcpy(p, &now, 8);
        } else {
            old = atomic_uint64_t(op, p, d, c);
        }
        if (out) {
            out[i] = (uint32_t)old;
            out[lanes + i] = (uint32_t)(old >> 32);
        }
    }
}
