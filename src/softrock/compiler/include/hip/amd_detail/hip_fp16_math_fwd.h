/* Part of softrock (MIT licence, see LICENSE). Half precision. (A name public code includes; the contents are elsewhere.) */
#ifndef SOFTROCK_AMD_DETAIL_HIP_FP16_MATH_FWD_H
#define SOFTROCK_AMD_DETAIL_HIP_FP16_MATH_FWD_H
#include "hip/hip_runtime.h"
#endif
