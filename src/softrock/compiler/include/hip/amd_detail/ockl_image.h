/* Part of softrock (MIT licence, see LICENSE). Texture functions. (A name public code includes; the contents are elsewhere.) */
#ifndef SOFTROCK_AMD_DETAIL_OCKL_IMAGE_H
#define SOFTROCK_AMD_DETAIL_OCKL_IMAGE_H
#include "hip/hip_runtime.h"
#endif
