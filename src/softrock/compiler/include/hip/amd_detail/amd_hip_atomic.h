/* Part of softrock (MIT licence, see LICENSE). Atomic functions. */
#ifndef SOFTROCK_AMD_DETAIL_AMD_HIP_ATOMIC_H
#define SOFTROCK_AMD_DETAIL_AMD_HIP_ATOMIC_H
#include "hip/hip_runtime.h"
#endif
