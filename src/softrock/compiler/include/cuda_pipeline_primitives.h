/* Part of softrock (MIT licence, see LICENSE). The C functions of cuda_pipeline.h. */
#ifndef SOFTROCK_CUDA_PIPELINE_PRIMITIVES_H
#define SOFTROCK_CUDA_PIPELINE_PRIMITIVES_H

#include "cuda_runtime.h"

#if defined(__SR_GPU__)
/* The last `zero_fill` of the bytes are zeros instead of what the source holds. */
__SR_DEVICE void __pipeline_memcpy_async(void *to, const void *from, size_t size, size_t zero_fill = 0) {
    __builtin_memcpy(to, from, size - zero_fill);
    __builtin_memset((char *)to + (size - zero_fill), 0, zero_fill);
}
__SR_DEVICE void __pipeline_commit() {}
__SR_DEVICE void __pipeline_wait_prior(size_t) { __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup"); }
#endif

#endif
