/* Part of softrock (MIT licence, see LICENSE). Texture functions. */
#ifndef SOFTROCK_CUDA_TEXTURE_INDIRECT_FUNCTIONS_H
#define SOFTROCK_CUDA_TEXTURE_INDIRECT_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
