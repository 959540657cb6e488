/* Part of softrock (MIT licence, see LICENSE). cudaDataType. */
#ifndef SOFTROCK_CUDA_LIBRARY_TYPES_H
#define SOFTROCK_CUDA_LIBRARY_TYPES_H
#include "cuda_runtime.h"
#endif
