/* Part of softrock (MIT licence, see LICENSE). CUDA's SIMD intrinsics: two half-words or four bytes in one word.
 * Meanings are those of the CUDA Math API, section "SIMD Intrinsics". */
#ifndef SOFTROCK_CUDA_SIMD_H
#define SOFTROCK_CUDA_SIMD_H

#include "hip/detail/macros.h"

#if defined(__SR_GPU__)

/* VALUE of a and b, which are one lane of x and y after the other, widened to int. */
#define __SR_LANES(NAME, BITS, LANE, VALUE) \
    __SR_DEVICE unsigned int NAME(unsigned int x, unsigned int y) { \
        unsigned int out = 0; \
        for (int at = 0; at < 32; at += BITS) { \
            const int a = (LANE)(x >> at), b = (LANE)(y >> at); \
            out |= ((unsigned int)(VALUE) & ((1u << BITS) - 1u)) << at; \
        } \
        return out; \
    }
#define __SR_LANES1(NAME, BITS, LANE, VALUE) \
    __SR_DEVICE unsigned int NAME(unsigned int x) { \
        unsigned int out = 0; \
        for (int at = 0; at < 32; at += BITS) { \
            const int a = (LANE)(x >> at); \
            out |= ((unsigned int)(VALUE) & ((1u << BITS) - 1u)) << at; \
        } \
        return out; \
    }
#define __SR_SUM(NAME, BITS, LANE) \
    __SR_DEVICE unsigned int NAME(unsigned int x, unsigned int y) { \
        unsigned int out = 0; \
        for (int at = 0; at < 32; at += BITS) { \
            const int d = (int)(LANE)(x >> at) - (int)(LANE)(y >> at); \
            out += (unsigned int)(d < 0 ? -d : d); \
        } \
        return out; \
    }
#define __SR_COMPARE(WORD, N, BITS, LANE, OP) \
    __SR_LANES(__vcmp##WORD##N, BITS, LANE, a OP b ? -1 : 0) \
    __SR_LANES(__vset##WORD##N, BITS, LANE, a OP b ? 1 : 0)

__SR_DEVICE int __sr_clamped(int v, int low, int high) { return v < low ? low : v > high ? high : v; }

#define __SR_SIMD(N, BITS, S, U) \
    __SR_LANES(__vadd##N, BITS, U, a + b) \
    __SR_LANES(__vsub##N, BITS, U, a - b) \
    __SR_LANES(__vaddss##N, BITS, S, __sr_clamped(a + b, -(1 << (BITS - 1)), (1 << (BITS - 1)) - 1)) \
    __SR_LANES(__vsubss##N, BITS, S, __sr_clamped(a - b, -(1 << (BITS - 1)), (1 << (BITS - 1)) - 1)) \
    __SR_LANES(__vaddus##N, BITS, U, __sr_clamped(a + b, 0, (1 << BITS) - 1)) \
    __SR_LANES(__vsubus##N, BITS, U, __sr_clamped(a - b, 0, (1 << BITS) - 1)) \
    __SR_LANES(__vabsdiffs##N, BITS, S, a < b ? b - a : a - b) \
    __SR_LANES(__vabsdiffu##N, BITS, U, a < b ? b - a : a - b) \
    __SR_LANES(__vavgu##N, BITS, U, (a + b + 1) >> 1) \
    __SR_LANES(__vhaddu##N, BITS, U, (a + b) >> 1) \
    __SR_LANES(__vmaxs##N, BITS, S, a > b ? a : b) \
    __SR_LANES(__vmaxu##N, BITS, U, a > b ? a : b) \
    __SR_LANES(__vmins##N, BITS, S, a < b ? a : b) \
    __SR_LANES(__vminu##N, BITS, U, a < b ? a : b) \
    __SR_LANES1(__vabs##N, BITS, S, a < 0 ? -a : a) \
    __SR_LANES1(__vneg##N, BITS, S, -a) \
    __SR_LANES1(__vabsss##N, BITS, S, __sr_clamped(a < 0 ? -a : a, 0, (1 << (BITS - 1)) - 1)) \
    __SR_LANES1(__vnegss##N, BITS, S, __sr_clamped(-a, -(1 << (BITS - 1)), (1 << (BITS - 1)) - 1)) \
    __SR_SUM(__vsads##N, BITS, S) \
    __SR_SUM(__vsadu##N, BITS, U) \
    __SR_COMPARE(eq, N, BITS, U, ==) \
    __SR_COMPARE(ne, N, BITS, U, !=) \
    __SR_COMPARE(ges, N, BITS, S, >=) \
    __SR_COMPARE(geu, N, BITS, U, >=) \
    __SR_COMPARE(gts, N, BITS, S, >) \
    __SR_COMPARE(gtu, N, BITS, U, >) \
    __SR_COMPARE(les, N, BITS, S, <=) \
    __SR_COMPARE(leu, N, BITS, U, <=) \
    __SR_COMPARE(lts, N, BITS, S, <) \
    __SR_COMPARE(ltu, N, BITS, U, <)

__SR_SIMD(2, 16, short, unsigned short)
__SR_SIMD(4, 8, signed char, unsigned char)

#undef __SR_SIMD
#undef __SR_COMPARE
#undef __SR_SUM
#undef __SR_LANES1
#undef __SR_LANES

#endif
#endif
