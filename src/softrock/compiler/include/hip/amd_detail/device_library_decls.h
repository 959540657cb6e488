/* Part of softrock (MIT licence, see LICENSE). Device library. (A name public code includes; the contents are elsewhere.) */
#ifndef SOFTROCK_AMD_DETAIL_DEVICE_LIBRARY_DECLS_H
#define SOFTROCK_AMD_DETAIL_DEVICE_LIBRARY_DECLS_H
#include "hip/hip_runtime.h"
#endif
