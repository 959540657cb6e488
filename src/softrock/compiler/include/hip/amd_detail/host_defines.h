/* Part of softrock (MIT licence, see LICENSE). Keywords of the language. */
#ifndef SOFTROCK_AMD_DETAIL_HOST_DEFINES_H
#define SOFTROCK_AMD_DETAIL_HOST_DEFINES_H
#include "hip/detail/macros.h"
#endif
