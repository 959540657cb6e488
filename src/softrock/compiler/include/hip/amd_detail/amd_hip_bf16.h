/* Part of softrock (MIT licence, see LICENSE). bfloat16. */
#ifndef SOFTROCK_AMD_DETAIL_AMD_HIP_BF16_H
#define SOFTROCK_AMD_DETAIL_AMD_HIP_BF16_H
#include "hip/hip_bf16.h"
#endif
