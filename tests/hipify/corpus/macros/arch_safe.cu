#include <cuda_runtime.h>
#ifdef __CUDA_ARCH__
#elif !defined(__CUDA_ARCH__)
#endif
#if __CUDA_ARCH__
#endif
#ifndef __CUDA_ARCH__
#endif
