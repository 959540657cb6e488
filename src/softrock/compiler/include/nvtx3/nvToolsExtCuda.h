/* Part of softrock (MIT licence, see LICENSE). NVTX ranges. */
#ifndef SOFTROCK_NVTX3_NVTOOLSEXTCUDA_H
#define SOFTROCK_NVTX3_NVTOOLSEXTCUDA_H
#include "nvToolsExt.h"
#endif
