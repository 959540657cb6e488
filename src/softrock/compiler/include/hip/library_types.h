/* Part of softrock (MIT licence, see LICENSE). hipDataType and library properties. */
#ifndef SOFTROCK_LIBRARY_TYPES_H
#define SOFTROCK_LIBRARY_TYPES_H
#include "hip/detail/api_enums.h"
#endif
