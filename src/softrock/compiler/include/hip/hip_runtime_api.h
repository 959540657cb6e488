/* Part of softrock (MIT licence, see LICENSE). The HIP runtime API for host code, C and C++. */
#ifndef SOFTROCK_HIP_RUNTIME_API_H
#define SOFTROCK_HIP_RUNTIME_API_H

#include "hip/hip_common.h"
#include "hip/hip_version.h"
#include "hip/hip_vector_types.h"
#include "hip/detail/api_functions.h"
#include "hip/detail/api_per_thread.h"
#if defined(__cplusplus) && __cplusplus >= 201103L && !defined(__HIPCC_RTC__)
#include "hip/detail/api_cpp.h"
#endif

#endif
