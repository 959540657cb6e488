/* Part of softrock (MIT licence, see LICENSE). Device functions. */
#ifndef SOFTROCK_CUDA_SM_90_RT_H
#define SOFTROCK_CUDA_SM_90_RT_H
#include "cuda_runtime.h"
#endif
