/* Part of softrock (MIT licence, see LICENSE). bfloat16. */
#ifndef SOFTROCK_CUDA_CUDA_BF16_H
#define SOFTROCK_CUDA_CUDA_BF16_H
#include "cuda_runtime.h"
#include "hip/hip_bf16.h"
#endif
