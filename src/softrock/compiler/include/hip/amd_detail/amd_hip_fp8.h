/* Part of softrock (MIT licence, see LICENSE). 8-bit floats. */
#ifndef SOFTROCK_AMD_DETAIL_AMD_HIP_FP8_H
#define SOFTROCK_AMD_DETAIL_AMD_HIP_FP8_H
#include "hip/hip_fp8.h"
#endif
