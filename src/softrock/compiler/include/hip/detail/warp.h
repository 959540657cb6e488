/* Part of softrock (MIT licence, see LICENSE). Votes and shuffles of a warp.
 *
 * HIP: a warp is a wave, masks are 64-bit. CUDA mode (__SOFTROCK_CUDA__): a warp is 32 lanes on every target; on a 64-lane
 * wave each half is one, and every function below works inside the caller's half. */
#ifndef SOFTROCK_HIP_WARP_H
#define SOFTROCK_HIP_WARP_H

#include "hip/detail/sync.h"

#if defined(__SR_GPU__)

#if defined(__SOFTROCK_CUDA__)
typedef unsigned int __sr_mask;
/* The caller's half of a wave-wide mask. */
__SR_DEVICE __sr_mask __sr_own_half(unsigned long long wave) {
    return (unsigned int)(wave >> (__sr_wave_lane() & 32u));
}
#else
typedef unsigned long long __sr_mask;
__SR_DEVICE __sr_mask __sr_own_half(unsigned long long wave) { return wave; }
#endif

__SR_DEVICE __sr_mask __sr_ballot(bool predicate) { return __sr_own_half(__builtin_amdgcn_ballot_w64(predicate)); }
__SR_DEVICE __sr_mask __activemask() { return __sr_ballot(true); }

#if defined(__SOFTROCK_CUDA__)
__SR_DEVICE unsigned int __ballot(int predicate) { return __sr_ballot(predicate != 0); }
__SR_DEVICE int __any(int predicate) { return __sr_ballot(predicate != 0) != 0; }
__SR_DEVICE int __all(int predicate) { return __sr_ballot(predicate == 0) == 0; }
#else
__SR_DEVICE unsigned long long __ballot(int predicate) { return __builtin_amdgcn_ballot_w64(predicate != 0); }
__SR_DEVICE unsigned long long __ballot64(int predicate) { return __ballot(predicate); }
__SR_DEVICE int __any(int predicate) { return __ballot(predicate) != 0; }
__SR_DEVICE int __all(int predicate) { return __ballot(predicate == 0) == 0; }
#endif

/* Lanes of the mask that come before the caller's in the warp. */
__SR_DEVICE __sr_mask __sr_lanes_before() { return ((__sr_mask)1 << __sr_lane()) - 1; }
#if !defined(__SOFTROCK_CUDA__)
__SR_DEVICE unsigned long long __lanemask_lt() { return __sr_lanes_before(); }
__SR_DEVICE unsigned long long __lanemask_le() { return (2ull << __sr_lane()) - 1; }
__SR_DEVICE unsigned long long __lanemask_gt() { return ~__lanemask_le(); }
__SR_DEVICE unsigned long long __lanemask_ge() { return ~__lanemask_lt(); }
__SR_DEVICE unsigned long long __lanemask_eq() { return 1ull << __sr_lane(); }

/* The hardware's own exchanges, by byte address of a lane (four times its number). */
__SR_DEVICE int __hip_ds_bpermute(int address, int value) { return __builtin_amdgcn_ds_bpermute(address, value); }
__SR_DEVICE int __hip_ds_permute(int address, int value) { return __builtin_amdgcn_ds_permute(address, value); }
__SR_DEVICE float __hip_ds_bpermutef(int address, float value) {
    return __builtin_bit_cast(float, __builtin_amdgcn_ds_bpermute(address, __builtin_bit_cast(int, value)));
}
__SR_DEVICE float __hip_ds_permutef(int address, float value) {
    return __builtin_bit_cast(float, __builtin_amdgcn_ds_permute(address, __builtin_bit_cast(int, value)));
}
template <int pattern> __SR_DEVICE int __hip_ds_swizzle_N(int value) { return __builtin_amdgcn_ds_swizzle(value, pattern); }
template <int control, int row_mask, int bank_mask, bool bound> __SR_DEVICE int __hip_move_dpp_N(int value) {
    return __builtin_amdgcn_mov_dpp(value, control, row_mask, bank_mask, bound);
}
#define __hip_ds_swizzle(value, pattern) __hip_ds_swizzle_N<(pattern)>((value))
#define __hip_move_dpp(value, control, row_mask, bank_mask, bound) \
    __hip_move_dpp_N<(control), (row_mask), (bank_mask), (bound)>((value))
#endif

/* ---- shuffles ---- */
/* The 32-bit word that another lane of the wave holds. On gfx11 ds_bpermute stays within halves of 32
 * lanes; a wave of 64 there fetches from the other half too and chooses. */
__SR_DEVICE int __sr_lane_word(int lane, int word) {
#ifdef __GFX11__
    if (__builtin_amdgcn_wavefrontsize() == 64) {
        const int own = (int)__sr_wave_lane();
        const int near = __builtin_amdgcn_ds_bpermute(lane << 2, word);
        const int swapped = __builtin_amdgcn_permlane64(word);
        const int far = __builtin_amdgcn_ds_bpermute(lane << 2, swapped);
        return (lane ^ own) & 32 ? far : near;
    }
#endif
    return __builtin_amdgcn_ds_bpermute(lane << 2, word);
}

/* The value another lane of the wave holds, word by word. */
template <typename T> __SR_DEVICE T __sr_from_lane(T value, int lane) {
    unsigned int words[(sizeof(T) + 3) / 4] = {};
    __builtin_memcpy(words, &value, sizeof(T));
    for (unsigned int i = 0; i < (sizeof(T) + 3) / 4; ++i)
        words[i] = (unsigned int)__sr_lane_word(lane, (int)words[i]);
    __builtin_memcpy(&value, words, sizeof(T));
    return value;
}

/* CUDA's shuffles look at five bits of a distance or mask (PTX: shfl's operand b), HIP's at all of them. */
#if defined(__SOFTROCK_CUDA__)
__SR_DEVICE int __sr_lane_step(unsigned int step) { return (int)(step & 31); }
#else
__SR_DEVICE int __sr_lane_step(unsigned int step) { return (int)step; }
#endif

/* Lane numbers are the wave's; a segment of `width` lanes (a power of two) never crosses a warp. */
__SR_DEVICE int __sr_lane_at(int source, int width) {
    const int self = (int)__sr_wave_lane();
    return (source & (width - 1)) + (self & ~(width - 1));
}
__SR_DEVICE int __sr_lane_up(unsigned int delta, int width) {
    const int self = (int)__sr_wave_lane(), lane = self - __sr_lane_step(delta);
    return lane < (self & ~(width - 1)) ? self : lane;
}
__SR_DEVICE int __sr_lane_down(unsigned int delta, int width) {
    const int self = (int)__sr_wave_lane();
    const int step = __sr_lane_step(delta);
    return (self & (width - 1)) + step >= width ? self : self + step;
}
__SR_DEVICE int __sr_lane_xor(int mask, int width) {
    const int self = (int)__sr_wave_lane(), lane = self ^ __sr_lane_step((unsigned int)mask);
    return lane >= ((self + width) & ~(width - 1)) ? self : lane;
}

#define __SR_SHUFFLES(T) \
    __SR_DEVICE T __shfl(T value, int source, int width = warpSize) { \
        return __sr_from_lane(value, __sr_lane_at(source, width)); } \
    __SR_DEVICE T __shfl_up(T value, unsigned int delta, int width = warpSize) { \
        return __sr_from_lane(value, __sr_lane_up(delta, width)); } \
    __SR_DEVICE T __shfl_down(T value, unsigned int delta, int width = warpSize) { \
        return __sr_from_lane(value, __sr_lane_down(delta, width)); } \
    __SR_DEVICE T __shfl_xor(T value, int lane_mask, int width = warpSize) { \
        return __sr_from_lane(value, __sr_lane_xor(lane_mask, width)); }
__SR_SHUFFLES(int)
__SR_SHUFFLES(unsigned int)
__SR_SHUFFLES(long)
__SR_SHUFFLES(unsigned long)
__SR_SHUFFLES(long long)
__SR_SHUFFLES(unsigned long long)
__SR_SHUFFLES(float)
__SR_SHUFFLES(double)
/* Half and bfloat16 types add theirs in their own headers with this macro. */

/* ---- votes and shuffles with a mask of the lanes that take part ---- */
#if defined(__SOFTROCK_CUDA__)
#define __SR_MASKED template <typename T>
#define __SR_MASK_T unsigned int
#define __SR_CHECK_MASK(M)
#else
#define __SR_MASKED template <typename __Mask, typename T>
#define __SR_MASK_T __Mask
/* A 32-bit mask would silently leave half of a 64-lane wave out. */
#define __SR_CHECK_MASK(M) \
    static_assert(sizeof(M) == 8 && __is_integral(M), "the lane mask must be a 64-bit integer on this platform")
#endif

#if defined(__SOFTROCK_CUDA__)
__SR_DEVICE unsigned int __ballot_sync(unsigned int mask, int predicate) { return __ballot(predicate) & mask; }
__SR_DEVICE int __any_sync(unsigned int mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
__SR_DEVICE int __all_sync(unsigned int mask, int predicate) { return __ballot_sync(mask, predicate == 0) == 0; }
__SR_DEVICE int __uni_sync(unsigned int mask, int predicate) {
    return __all_sync(mask, predicate) || __all_sync(mask, !predicate);
}
#else
template <typename __Mask> __SR_DEVICE unsigned long long __ballot_sync(__Mask mask, int predicate) {
    __SR_CHECK_MASK(__Mask);
    return __ballot(predicate) & mask;
}
template <typename __Mask> __SR_DEVICE int __any_sync(__Mask mask, int predicate) {
    return __ballot_sync(mask, predicate) != 0;
}
template <typename __Mask> __SR_DEVICE int __all_sync(__Mask mask, int predicate) {
    return __ballot_sync(mask, predicate == 0) == 0;
}
#endif

__SR_MASKED __SR_DEVICE T __shfl_sync(__SR_MASK_T mask, T value, int source, int width = warpSize) {
    __SR_CHECK_MASK(__SR_MASK_T);
    return (void)mask, __shfl(value, source, width);
}
__SR_MASKED __SR_DEVICE T __shfl_up_sync(__SR_MASK_T mask, T value, unsigned int delta, int width = warpSize) {
    __SR_CHECK_MASK(__SR_MASK_T);
    return (void)mask, __shfl_up(value, delta, width);
}
__SR_MASKED __SR_DEVICE T __shfl_down_sync(__SR_MASK_T mask, T value, unsigned int delta, int width = warpSize) {
    __SR_CHECK_MASK(__SR_MASK_T);
    return (void)mask, __shfl_down(value, delta, width);
}
__SR_MASKED __SR_DEVICE T __shfl_xor_sync(__SR_MASK_T mask, T value, int lane_mask, int width = warpSize) {
    __SR_CHECK_MASK(__SR_MASK_T);
    return (void)mask, __shfl_xor(value, lane_mask, width);
}

/* ---- matching and reducing ---- */
template <typename T> __SR_DEVICE bool __sr_same_bits(const T &a, const T &b) {
    unsigned int x[(sizeof(T) + 3) / 4] = {}, y[(sizeof(T) + 3) / 4] = {};
    __builtin_memcpy(x, &a, sizeof(T));
    __builtin_memcpy(y, &b, sizeof(T));
    unsigned int differ = 0;
    for (unsigned int i = 0; i < (sizeof(T) + 3) / 4; ++i) differ |= x[i] ^ y[i];
    return differ == 0;
}
/* Mask of the taking-part lanes that hold the caller's value. Every turn settles one value: the first open lane's. */
template <typename T> __SR_DEVICE __sr_mask __sr_match_any(__sr_mask mask, T value) {
    const unsigned int base = __sr_wave_lane() - __sr_lane();
    __sr_mask open = mask & __activemask(), result = 0;
    while (open != 0) {
        const int first = __builtin_ctzll(open);
        const T chosen = __sr_from_lane(value, (int)base + first);
        const __sr_mask same = __sr_ballot(__sr_same_bits(chosen, value)) & mask;
        if ((same >> __sr_lane()) & 1) result = same;
        open &= ~(same | ((__sr_mask)1 << first));
    }
    return result;
}
template <typename T> __SR_DEVICE __sr_mask __sr_match_all(__sr_mask mask, T value, int *predicate) {
    const __sr_mask same = __sr_match_any(mask, value);
    const bool all = same == (mask & __activemask());
    return *predicate = all, all ? same : 0;
}

/* Combine over the lanes of the mask, in lane order; every one of them gets the result. */
template <typename T, typename F> __SR_DEVICE T __sr_reduce(__sr_mask mask, T value, F combine) {
    const unsigned int base = __sr_wave_lane() - __sr_lane();
    __sr_mask left = mask & __activemask();
    T total = value;
    bool first = true;
    while (left != 0) {
        const T next = __sr_from_lane(value, (int)base + __builtin_ctzll(left));
        total = first ? next : combine(total, next);
        first = false;
        left &= left - 1;
    }
    return total;
}
__SR_MASKED __SR_DEVICE __sr_mask __match_any_sync(__SR_MASK_T mask, T value) {
    __SR_CHECK_MASK(__SR_MASK_T);
    return __sr_match_any((__sr_mask)mask, value);
}
__SR_MASKED __SR_DEVICE __sr_mask __match_all_sync(__SR_MASK_T mask, T value, int *predicate) {
    __SR_CHECK_MASK(__SR_MASK_T);
    return __sr_match_all((__sr_mask)mask, value, predicate);
}
#if !defined(__SOFTROCK_CUDA__)
template <typename T> __SR_DEVICE unsigned long long __match_any(T value) { return __sr_match_any(~0ull, value); }
template <typename T> __SR_DEVICE unsigned long long __match_all(T value, int *predicate) {
    return __sr_match_all(~0ull, value, predicate);
}
#endif
#define __SR_REDUCE(name, expression) \
    __SR_MASKED __SR_DEVICE T __reduce_##name##_sync(__SR_MASK_T mask, T value) { \
        __SR_CHECK_MASK(__SR_MASK_T); \
        return __sr_reduce((__sr_mask)mask, value, [](T a, T b) -> T { return expression; }); }
__SR_REDUCE(add, a + b)
__SR_REDUCE(min, b < a ? b : a)
__SR_REDUCE(max, a < b ? b : a)
__SR_REDUCE(and, a & b)
__SR_REDUCE(or, a | b)
__SR_REDUCE(xor, a ^ b)
#undef __SR_REDUCE
#undef __SR_CHECK_MASK
#undef __SR_MASKED
#undef __SR_MASK_T

#endif
#endif
