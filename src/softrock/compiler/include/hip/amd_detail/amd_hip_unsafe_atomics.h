/* Part of softrock (MIT licence, see LICENSE). Atomic functions. (A name public code includes; the contents are elsewhere.) */
#ifndef SOFTROCK_AMD_DETAIL_AMD_HIP_UNSAFE_ATOMICS_H
#define SOFTROCK_AMD_DETAIL_AMD_HIP_UNSAFE_ATOMICS_H
#include "hip/hip_runtime.h"
#endif
