/* Part of softrock (MIT licence, see LICENSE). Reductions over groups. */
#ifndef SOFTROCK_CUDA_COOPERATIVE_GROUPS_REDUCE_H
#define SOFTROCK_CUDA_COOPERATIVE_GROUPS_REDUCE_H
#include "cooperative_groups.h"
#include "hip/detail/cooperative_groups_reduce.h"
#endif
