/* Part of softrock (MIT licence, see LICENSE). Texture types of the runtime API. */
#ifndef SOFTROCK_TEXTURE_TYPES_H
#define SOFTROCK_TEXTURE_TYPES_H
#include "hip/detail/api_types.h"
#endif
