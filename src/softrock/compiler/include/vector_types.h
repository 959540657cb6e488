/* Part of softrock (MIT licence, see LICENSE). Vector types. */
#ifndef SOFTROCK_CUDA_VECTOR_TYPES_H
#define SOFTROCK_CUDA_VECTOR_TYPES_H
#include "cuda_runtime.h"
#endif
