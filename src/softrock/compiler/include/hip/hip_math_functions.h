/* Part of softrock (MIT licence, see LICENSE). Device mathematics. */
#ifndef SOFTROCK_HIP_MATH_FUNCTIONS_H
#define SOFTROCK_HIP_MATH_FUNCTIONS_H
#include "hip/hip_runtime.h"
#endif
