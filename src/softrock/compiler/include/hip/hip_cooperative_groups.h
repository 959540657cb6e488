/* Part of softrock (MIT licence, see LICENSE). Cooperative groups. */
#ifndef SOFTROCK_HIP_HIP_COOPERATIVE_GROUPS_H
#define SOFTROCK_HIP_HIP_COOPERATIVE_GROUPS_H
#include "hip/detail/cooperative_groups.h"
#include "hip/detail/cooperative_groups_memcpy.h"
#include "hip/detail/cooperative_groups_reduce.h"
#endif
