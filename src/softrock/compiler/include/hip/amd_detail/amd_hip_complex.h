/* Part of softrock (MIT licence, see LICENSE). Complex numbers. */
#ifndef SOFTROCK_AMD_DETAIL_AMD_HIP_COMPLEX_H
#define SOFTROCK_AMD_DETAIL_AMD_HIP_COMPLEX_H
#include "hip/hip_complex.h"
#endif
