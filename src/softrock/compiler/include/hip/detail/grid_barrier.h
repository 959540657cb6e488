/* Part of softrock (MIT licence, see LICENSE). A barrier over all blocks of a cooperative launch. The runtime hands such a launch
 * a record through the hidden_multigrid_sync_arg implicit argument; other launches get zero there. */
#ifndef SOFTROCK_HIP_GRID_BARRIER_H
#define SOFTROCK_HIP_GRID_BARRIER_H

#include "hip/detail/coordinates.h"
#include "hip/detail/sync.h"

#if defined(__SR_GPU__)

/* ROCm's layout, so that one runtime serves its code objects and ours. */
struct __sr_grid_barrier {
    unsigned int *all_devices;          /* barrier word of a launch over several devices, else null */
    unsigned int grid_id, num_grids;    /* which of its grids this is */
    unsigned long long prev_sum, all_sum; /* threads in the grids before this one, and in all */
    unsigned int word, unused;          /* this grid's barrier word: zero at launch */
    unsigned int num_blocks;
};

__SR_DEVICE __sr_grid_barrier *__sr_grid_record() {
    typedef const __attribute__((address_space(4))) unsigned long long *words;
    return (__sr_grid_barrier *)((words)__builtin_amdgcn_implicitarg_ptr())[11];
}
__SR_DEVICE bool __sr_grid_is_cooperative() { return __sr_grid_record() != nullptr; }
__SR_DEVICE unsigned long long __sr_grid_size() {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * blockDim.x * blockDim.y * blockDim.z;
}
__SR_DEVICE unsigned long long __sr_grid_rank() {
    const unsigned long long block =
        blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
    return block * (blockDim.x * blockDim.y * blockDim.z) + threadIdx.x +
           blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

/* One party of `count` arrives at the word and waits for the rest. The party `first` adds what makes the sum of all
 * arrivals exactly 2^31: the top bit flips once a round and never needs resetting. */
__SR_DEVICE void __sr_rendezvous(unsigned int *word, unsigned int count, bool first) {
    const unsigned int old = __hip_atomic_fetch_add(word, first ? 0x80000000u - (count - 1u) : 1u, __ATOMIC_ACQ_REL,
                                                    __HIP_MEMORY_SCOPE_SYSTEM);
    while (((__hip_atomic_load(word, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) ^ old) & 0x80000000u) == 0)
        __builtin_amdgcn_s_sleep(1);
}
__SR_DEVICE bool __sr_is_first_thread() { return (threadIdx.x | threadIdx.y | threadIdx.z) == 0; }
__SR_DEVICE bool __sr_is_first_block() { return (blockIdx.x | blockIdx.y | blockIdx.z) == 0; }

/* A grid that was not launched as cooperative cannot wait for itself: its blocks need not run at once. */
__SR_DEVICE void __sr_grid_sync() {
    __sr_grid_barrier *const grid = __sr_grid_record();
    if (grid == nullptr) __sr_trap();
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
    __syncthreads();
    if (__sr_is_first_thread())
        __sr_rendezvous(&grid->word, gridDim.x * gridDim.y * gridDim.z, __sr_is_first_block());
    __syncthreads();
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
}
/* The grid meets, its first block meets the other devices' first blocks, the grid meets again. */
__SR_DEVICE void __sr_multi_grid_sync() {
    __sr_grid_barrier *const grid = __sr_grid_record();
    if (grid == nullptr) __sr_trap();
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "");
    __sr_grid_sync();
    if (grid->all_devices != nullptr && __sr_is_first_thread() && __sr_is_first_block())
        __sr_rendezvous(grid->all_devices, grid->num_grids, grid->grid_id == 0);
    __sr_grid_sync();
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "");
}

#endif
#endif
