/* Part of softrock (MIT licence, see LICENSE). NVTX ranges. */
#ifndef SOFTROCK_NVTOOLSEXTCUDART_H
#define SOFTROCK_NVTOOLSEXTCUDART_H
#include "nvToolsExt.h"
#endif
