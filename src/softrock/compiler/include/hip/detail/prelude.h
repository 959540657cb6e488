/* Part of softrock (MIT licence, see LICENSE). What the driver includes before a HIP source file: the language's keywords, and
 * device mathematics in place before the C++ library's headers are read (see math_overloads.h). */
#ifndef SOFTROCK_HIP_PRELUDE_H
#define SOFTROCK_HIP_PRELUDE_H

#include "hip/detail/macros.h"

#if defined(__SR_GPU__) && defined(__cplusplus)
#include "hip/detail/math_overloads.h"
#if !defined(__HIPCC_RTC__)
#include <cmath>
#include <cstdlib>
#include <cstring>
#endif
#endif

#endif
