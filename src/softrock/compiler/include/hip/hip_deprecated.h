/* Part of softrock (MIT licence, see LICENSE). Nothing deprecated is kept that needs a header of its own. */
#ifndef SOFTROCK_HIP_DEPRECATED_H
#define SOFTROCK_HIP_DEPRECATED_H
#include "hip/hip_runtime_api.h"
#endif
