/* Part of softrock (MIT licence, see LICENSE). NVTX ranges. */
#ifndef SOFTROCK_CUDA_NVTX3_NVTOOLSEXT_H
#define SOFTROCK_CUDA_NVTX3_NVTOOLSEXT_H
#include "nvToolsExt.h"
#endif
