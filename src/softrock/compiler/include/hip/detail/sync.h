/* Part of softrock (MIT licence, see LICENSE). Barriers, fences, clocks, traps. */
#ifndef SOFTROCK_HIP_SYNC_H
#define SOFTROCK_HIP_SYNC_H

#include "hip/detail/coordinates.h"

#if defined(__SR_GPU__)

__SR_DEVICE void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
__SR_DEVICE void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
__SR_DEVICE void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }

/* Convergent, and a fence on both sides for global and LDS memory. */
__SR_DEVICE void __syncthreads() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
__SR_DEVICE void __barrier(int) { __syncthreads(); }

__SR_DEVICE unsigned long long __sr_wave_ballot(bool predicate) { return __builtin_amdgcn_ballot_w64(predicate); }

/* Block-wide votes: every wave adds its count to one LDS word between three barriers. The word is reset after use,
 * so the next vote starts from zero; LDS is not initialised, hence the first store. */
__SR_DEVICE int __sr_block_count_votes(bool predicate) {
    __shared__ int __sr_votes;
    const unsigned int id =
        threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    if (id == 0) __sr_votes = 0;
    __syncthreads();
    const unsigned long long ballot = __sr_wave_ballot(predicate);
    const unsigned int lane = __sr_wave_lane();
    if (__builtin_ctzll(__sr_wave_ballot(true)) == (int)lane)
        __hip_atomic_fetch_add(&__sr_votes, __builtin_popcountll(ballot), __ATOMIC_RELAXED,
                               __HIP_MEMORY_SCOPE_WORKGROUP);
    __syncthreads();
    const int total = __sr_votes;
    __syncthreads();
    return total;
}
__SR_DEVICE int __syncthreads_count(int predicate) { return __sr_block_count_votes(predicate != 0); }
__SR_DEVICE int __syncthreads_or(int predicate) { return __sr_block_count_votes(predicate != 0) != 0; }
__SR_DEVICE int __syncthreads_and(int predicate) { return __sr_block_count_votes(predicate == 0) == 0; }

/* Lanes of a wave run in step: what is left to do is to keep memory operations on their side. */
__SR_DEVICE void __sr_wave_sync() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
#if defined(__SOFTROCK_CUDA__)
__SR_DEVICE void __syncwarp(unsigned int mask = 0xffffffffu) { (void)mask, __sr_wave_sync(); }
#else
__SR_DEVICE void __syncwarp() { __sr_wave_sync(); }
template <typename __Mask>
__SR_DEVICE void __syncwarp(__Mask mask) {
    static_assert(sizeof(__Mask) == 8, "the mask must be a 64-bit integer");
    (void)mask, __sr_wave_sync();
}
#endif

#if defined(__GFX11__)
/* The cycle counter of these GPUs has 20 bits, and loops that wait for more cycles would never end: the constant-rate
   counter (100 MHz), brought to about the engine's clock. */
__SR_DEVICE long long int __clock64() { return (long long int)__builtin_readsteadycounter() * 25; }
#else
__SR_DEVICE long long int __clock64() { return (long long int)__builtin_readcyclecounter(); }
#endif
__SR_DEVICE long long int clock64() { return __clock64(); }
__SR_DEVICE long long int __clock() { return __clock64(); }
/* The C library's clock() has a device overload of the same type. */
__SR_DEVICE long clock() noexcept { return (long)__clock64(); }
/* Ticks of the constant-rate counter (hipDeviceAttributeWallClockRate, in kHz). */
__SR_DEVICE long long int wall_clock64() { return (long long int)__builtin_readsteadycounter(); }

__SR_DEVICE void __named_sync() { __builtin_amdgcn_s_barrier(); }
__SR_DEVICE void __trap() { __sr_trap(); }
__SR_DEVICE void __brkpt() { __sr_trap(); }
__SR_DEVICE void __prof_trigger(int) {}
__SR_DEVICE void __nanosleep(unsigned int) { __builtin_amdgcn_s_sleep(1); }

#endif
#endif
