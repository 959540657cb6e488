/* Part of softrock (MIT licence, see LICENSE). Types of the runtime API. */
#ifndef SOFTROCK_CUDA_DRIVER_TYPES_H
#define SOFTROCK_CUDA_DRIVER_TYPES_H
#include "cuda_runtime.h"
#endif
