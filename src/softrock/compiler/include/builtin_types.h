/* Part of softrock (MIT licence, see LICENSE). Types. */
#ifndef SOFTROCK_CUDA_BUILTIN_TYPES_H
#define SOFTROCK_CUDA_BUILTIN_TYPES_H
#include "cuda_runtime.h"
#endif
