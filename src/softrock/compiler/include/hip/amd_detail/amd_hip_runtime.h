/* Part of softrock (MIT licence, see LICENSE). Device language. (A name public code includes; the contents are elsewhere.) */
#ifndef SOFTROCK_AMD_DETAIL_AMD_HIP_RUNTIME_H
#define SOFTROCK_AMD_DETAIL_AMD_HIP_RUNTIME_H
#include "hip/hip_runtime.h"
#endif
