/* Part of softrock (MIT licence, see LICENSE). CUDA's pipeline primitives: the copies are done when the call returns, so that
 * committing and waiting have nothing left to do but keep the order of memory accesses. */
#ifndef SOFTROCK_CUDA_PIPELINE_H
#define SOFTROCK_CUDA_PIPELINE_H

#include "cuda_runtime.h"
#include "cuda_pipeline_primitives.h"

#endif
