/* Part of softrock (MIT licence, see LICENSE). Device functions. */
#ifndef SOFTROCK_CUDA_SM_61_INTRINSICS_H
#define SOFTROCK_CUDA_SM_61_INTRINSICS_H
#include "cuda_runtime.h"
#endif
