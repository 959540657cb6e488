/* Part of softrock (MIT licence, see LICENSE). Cached loads. (A name public code includes; the contents are elsewhere.) */
#ifndef SOFTROCK_AMD_DETAIL_HIP_LDG_H
#define SOFTROCK_AMD_DETAIL_HIP_LDG_H
#include "hip/hip_runtime.h"
#endif
