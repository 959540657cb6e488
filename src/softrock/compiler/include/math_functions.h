/* Part of softrock (MIT licence, see LICENSE). Device mathematics. */
#ifndef SOFTROCK_CUDA_MATH_FUNCTIONS_H
#define SOFTROCK_CUDA_MATH_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
