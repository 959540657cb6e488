/* Part of softrock (MIT licence, see LICENSE). The CUDA version whose names these headers offer.
 *
 * __CUDACC__ is defined, __NVCC__ is not: sources use the latter for NVIDIA's own compiler (its pragmas, its inline PTX), and
 * clang's own CUDA mode does not define it either. __CUDA_ARCH__ is 700 in the device pass: the first architecture with the
 * _sync functions and double atomics, and the last before sources reach for inline PTX (ldmatrix, cp.async) that no AMD GPU
 * has. cudaDeviceProp says 7.0 for the same reason. */
#ifndef SOFTROCK_CUDA_DETAIL_VERSION_H
#define SOFTROCK_CUDA_DETAIL_VERSION_H

#if !defined(__SOFTROCK_CUDA__) && defined(__HIP__)
#error "a CUDA source is compiled as HIP: compile it as a .cu file, or with -x cuda (-D__SOFTROCK_CUDA__=1)"
#elif !defined(__SOFTROCK_CUDA__)
/* A host compiler reading the API. */
#define __SOFTROCK_CUDA__ 1
#else
#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 4
#define __CUDACC_VER_BUILD__ 0
#endif

#define CUDA_VERSION 12040
#define CUDART_VERSION CUDA_VERSION
#define __CUDART_API_VERSION CUDART_VERSION
#define __SR_CUDA_MAJOR 7
#define __SR_CUDA_MINOR 0
#if defined(__HIP_DEVICE_COMPILE__)
#define __CUDA_ARCH__ 700
#endif
#define CUDARTAPI
#define CUDART_CB
#define CUDAAPI
#define CUDA_CB

#endif
