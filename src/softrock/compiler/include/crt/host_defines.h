/* Part of softrock (MIT licence, see LICENSE). Keywords of the language. */
#ifndef SOFTROCK_CUDA_CRT_HOST_DEFINES_H
#define SOFTROCK_CUDA_CRT_HOST_DEFINES_H
#include "cuda_runtime.h"
#endif
