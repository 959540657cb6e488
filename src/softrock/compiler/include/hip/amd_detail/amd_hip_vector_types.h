/* Part of softrock (MIT licence, see LICENSE). Vector types. */
#ifndef SOFTROCK_AMD_DETAIL_AMD_HIP_VECTOR_TYPES_H
#define SOFTROCK_AMD_DETAIL_AMD_HIP_VECTOR_TYPES_H
#include "hip/hip_vector_types.h"
#endif
