/* Part of softrock (MIT licence, see LICENSE). Copies by a group. */
#ifndef SOFTROCK_CUDA_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define SOFTROCK_CUDA_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#include "cooperative_groups.h"
#include "hip/detail/cooperative_groups_memcpy.h"
#endif
