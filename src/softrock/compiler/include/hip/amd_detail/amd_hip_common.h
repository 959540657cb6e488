/* Part of softrock (MIT licence, see LICENSE). Platform macros. */
#ifndef SOFTROCK_AMD_DETAIL_AMD_HIP_COMMON_H
#define SOFTROCK_AMD_DETAIL_AMD_HIP_COMMON_H
#include "hip/hip_common.h"
#endif
