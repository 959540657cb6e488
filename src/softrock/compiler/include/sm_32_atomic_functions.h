/* Part of softrock (MIT licence, see LICENSE). Device functions. */
#ifndef SOFTROCK_CUDA_SM_32_ATOMIC_FUNCTIONS_H
#define SOFTROCK_CUDA_SM_32_ATOMIC_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
