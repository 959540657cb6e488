/* Part of softrock (MIT licence, see LICENSE). Texture types. */
#ifndef SOFTROCK_CUDA_CUDA_TEXTURE_TYPES_H
#define SOFTROCK_CUDA_CUDA_TEXTURE_TYPES_H
#include "cuda_runtime.h"
#endif
