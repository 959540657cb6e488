/* Part of softrock (MIT licence, see LICENSE). Types of the runtime API. */
#ifndef SOFTROCK_DRIVER_TYPES_H
#define SOFTROCK_DRIVER_TYPES_H
#include "hip/hip_vector_types.h"
#include "hip/detail/api_types.h"
#endif
