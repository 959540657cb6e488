/* Part of softrock (MIT licence, see LICENSE). Everything a CUDA source file needs; the driver includes it before a .cu file,
 * as nvcc does. Warps are 32 lanes (see hip/detail/warp.h). */
#ifndef SOFTROCK_CUDA_RUNTIME_H
#define SOFTROCK_CUDA_RUNTIME_H

#include "softrock/cuda/version.h"
#if !defined(__HIPCC_RTC__)
/* Sources lean on what nvcc's own first include brings along (time(), INT_MAX, ...). */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#endif
#include "hip/hip_runtime.h"
#include "cuda_runtime_api.h"
#include "softrock/cuda/host_math.h"
#include "softrock/cuda/simd.h"
#include "softrock/cuda/conceal.h"

#endif
