/* Part of softrock (MIT licence, see LICENSE). Everything a HIP source file needs: the runtime API for its host half and the
 * language for its device half. */
#ifndef SOFTROCK_HIP_RUNTIME_H
#define SOFTROCK_HIP_RUNTIME_H

#include "hip/detail/prelude.h"

#if defined(__cplusplus) && !defined(__HIPCC_RTC__)
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <time.h> /* programs take time() and clock() from here: CUDA's and ROCm's headers have it by way of others */
#elif !defined(__HIPCC_RTC__)
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#endif

#include "hip/hip_runtime_api.h"
#include "hip/detail/coordinates.h"

#if defined(__SR_GPU__)
#include "hip/detail/atomics.h"
#include "hip/detail/device_new.h"
#include "hip/detail/integer.h"
#include "hip/detail/intrinsics.h"
#include "hip/detail/launch.h"
#include "hip/detail/memory.h"
#include "hip/detail/sync.h"
#include "hip/detail/surface.h"
#include "hip/detail/texture.h"
#include "hip/detail/texture_reference.h"
#include "hip/detail/warp.h"
#endif

#endif
