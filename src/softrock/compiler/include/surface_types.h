/* Part of softrock (MIT licence, see LICENSE). Surface types. */
#ifndef SOFTROCK_CUDA_SURFACE_TYPES_H
#define SOFTROCK_CUDA_SURFACE_TYPES_H
#include "cuda_runtime.h"
#endif
