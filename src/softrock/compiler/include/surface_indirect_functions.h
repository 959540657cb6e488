/* Part of softrock (MIT licence, see LICENSE). Surface functions. */
#ifndef SOFTROCK_CUDA_SURFACE_INDIRECT_FUNCTIONS_H
#define SOFTROCK_CUDA_SURFACE_INDIRECT_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
