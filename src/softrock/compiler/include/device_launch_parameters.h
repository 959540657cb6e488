/* Part of softrock (MIT licence, see LICENSE). threadIdx and its like. */
#ifndef SOFTROCK_CUDA_DEVICE_LAUNCH_PARAMETERS_H
#define SOFTROCK_CUDA_DEVICE_LAUNCH_PARAMETERS_H
#include "cuda_runtime.h"
#endif
