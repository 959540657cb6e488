/* Part of softrock (MIT licence, see LICENSE). cudaCreateChannelDesc. */
#ifndef SOFTROCK_CUDA_CHANNEL_DESCRIPTOR_H
#define SOFTROCK_CUDA_CHANNEL_DESCRIPTOR_H
#include "cuda_runtime.h"
#endif
