/* Part of softrock (MIT licence, see LICENSE). Device functions. */
#ifndef SOFTROCK_DEVICE_FUNCTIONS_H
#define SOFTROCK_DEVICE_FUNCTIONS_H
#include "hip/hip_runtime.h"
#endif
