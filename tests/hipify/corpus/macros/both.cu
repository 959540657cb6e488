#if defined(__CUDACC__) || defined(__HIPCC__)
#define HD __host__ __device__
#endif
#ifdef __HIP_PLATFORM_AMD__
#include <hip/hip_runtime.h>
#else
#include <cuda_runtime.h>
int x = cudaSuccess;
#endif
#if !defined(USE_ROCM)
int y = cudaNoSuch;
#endif
int z = cudaSuccess;
