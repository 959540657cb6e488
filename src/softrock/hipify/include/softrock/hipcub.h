/* Part of softrock (MIT licence, see LICENSE). hipCUB has CUB's interface. */
#ifndef SOFTROCK_HIPCUB_H
#define SOFTROCK_HIPCUB_H
#include "softrock/cub.h"
namespace hipcub = cub;
#define HipcubDebug CubDebug
#define HIPCUB_MAX CUB_MAX
#define HIPCUB_MIN CUB_MIN
#define HIPCUB_RUNTIME_FUNCTION CUB_RUNTIME_FUNCTION
#define HIPCUB_WARP_THREADS 64
#endif
