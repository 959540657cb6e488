/* Part of softrock (MIT licence, see LICENSE). Device types. */
#ifndef SOFTROCK_CUDA_DEVICE_TYPES_H
#define SOFTROCK_CUDA_DEVICE_TYPES_H
#include "cuda_runtime.h"
#endif
