/* Part of softrock (MIT licence, see LICENSE). NVTX ranges. */
#ifndef SOFTROCK_NVTOOLSEXTCUDA_H
#define SOFTROCK_NVTOOLSEXTCUDA_H
#include "nvToolsExt.h"
#endif
