/* Part of softrock (MIT licence, see LICENSE). AMD extensions of the runtime API: launches with events. */
#ifndef SOFTROCK_HIP_EXT_H
#define SOFTROCK_HIP_EXT_H
#include "hip/hip_runtime.h"
#include "hip/detail/api_extensions.h"
#endif
