/* Part of softrock (MIT licence, see LICENSE). Surface types of the runtime API. */
#ifndef SOFTROCK_SURFACE_TYPES_H
#define SOFTROCK_SURFACE_TYPES_H
#include "hip/detail/api_types.h"
#endif
