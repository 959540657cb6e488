/* Part of softrock (MIT licence, see LICENSE). Surface functions. (A name public code includes; the contents are elsewhere.) */
#ifndef SOFTROCK_AMD_DETAIL_AMD_SURFACE_FUNCTIONS_H
#define SOFTROCK_AMD_DETAIL_AMD_SURFACE_FUNCTIONS_H
#include "hip/hip_runtime.h"
#endif
