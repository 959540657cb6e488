/* Part of softrock (MIT licence, see LICENSE). Half precision. */
#ifndef SOFTROCK_AMD_DETAIL_AMD_HIP_FP16_H
#define SOFTROCK_AMD_DETAIL_AMD_HIP_FP16_H
#include "hip/hip_fp16.h"
#endif
