/* Part of softrock (MIT licence, see LICENSE). make_float4 and its like. */
#ifndef SOFTROCK_CUDA_VECTOR_FUNCTIONS_H
#define SOFTROCK_CUDA_VECTOR_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
