/* Part of softrock (MIT licence, see LICENSE). cudaProfilerStart and cudaProfilerStop. */
#ifndef SOFTROCK_CUDA_CUDA_PROFILER_API_H
#define SOFTROCK_CUDA_CUDA_PROFILER_API_H
#include "cuda_runtime_api.h"
#endif
