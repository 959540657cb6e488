/* Part of softrock (MIT licence, see LICENSE). bfloat16, older type. */
#ifndef SOFTROCK_AMD_DETAIL_AMD_HIP_BFLOAT16_H
#define SOFTROCK_AMD_DETAIL_AMD_HIP_BFLOAT16_H
#include "hip/hip_bfloat16.h"
#endif
