/* Part of softrock (MIT licence, see LICENSE). Device runtime: launches from device code are not supported. */
#ifndef SOFTROCK_CUDA_CUDA_DEVICE_RUNTIME_API_H
#define SOFTROCK_CUDA_CUDA_DEVICE_RUNTIME_API_H
#include "cuda_runtime.h"
#endif
