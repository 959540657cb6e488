/* Part of softrock (MIT licence, see LICENSE). Occupancy functions of the runtime. */
#ifndef SOFTROCK_CUDA_CUDA_OCCUPANCY_H
#define SOFTROCK_CUDA_CUDA_OCCUPANCY_H
#include "cuda_runtime.h"
#endif
