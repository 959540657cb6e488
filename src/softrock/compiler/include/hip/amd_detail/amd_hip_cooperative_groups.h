/* Part of softrock (MIT licence, see LICENSE). Cooperative groups. */
#ifndef SOFTROCK_AMD_DETAIL_AMD_HIP_COOPERATIVE_GROUPS_H
#define SOFTROCK_AMD_DETAIL_AMD_HIP_COOPERATIVE_GROUPS_H
#include "hip/hip_cooperative_groups.h"
#endif
