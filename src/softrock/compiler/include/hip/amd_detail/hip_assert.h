/* Part of softrock (MIT licence, see LICENSE). Device assert. (A name public code includes; the contents are elsewhere.) */
#ifndef SOFTROCK_AMD_DETAIL_HIP_ASSERT_H
#define SOFTROCK_AMD_DETAIL_HIP_ASSERT_H
#include "hip/hip_runtime.h"
#endif
