/* Part of softrock (MIT licence, see LICENSE). Atomic functions. */
#ifndef SOFTROCK_CUDA_SM_60_ATOMIC_FUNCTIONS_H
#define SOFTROCK_CUDA_SM_60_ATOMIC_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
