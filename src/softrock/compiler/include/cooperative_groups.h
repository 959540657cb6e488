/* Part of softrock (MIT licence, see LICENSE). Cooperative groups. */
#ifndef SOFTROCK_CUDA_COOPERATIVE_GROUPS_H
#define SOFTROCK_CUDA_COOPERATIVE_GROUPS_H
#include "cuda_runtime.h"
#include "hip/detail/cooperative_groups.h"
#endif
