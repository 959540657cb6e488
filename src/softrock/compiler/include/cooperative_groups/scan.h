/* Part of softrock (MIT licence, see LICENSE). Scans over groups. */
#ifndef SOFTROCK_CUDA_COOPERATIVE_GROUPS_SCAN_H
#define SOFTROCK_CUDA_COOPERATIVE_GROUPS_SCAN_H
#include "cooperative_groups.h"
#include "hip/detail/cooperative_groups_reduce.h"
#endif
