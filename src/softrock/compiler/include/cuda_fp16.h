/* Part of softrock (MIT licence, see LICENSE). Half precision. */
#ifndef SOFTROCK_CUDA_CUDA_FP16_H
#define SOFTROCK_CUDA_CUDA_FP16_H
#include "cuda_runtime.h"
#include "hip/hip_fp16.h"
#include "softrock/cuda/fp16_names.h"
#endif
