/* Part of softrock (MIT licence, see LICENSE). Keywords of the language. */
#ifndef SOFTROCK_HOST_DEFINES_H
#define SOFTROCK_HOST_DEFINES_H
#include "hip/detail/macros.h"
#endif
