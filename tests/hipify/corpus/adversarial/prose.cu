#include <cuda_runtime.h>
#if CUDA_X
#error cudaMalloc isn't here /* cudaFree
 and goes on */ cudaFree
#warning don't call cudaFree \
  or cudaMalloc
#endif
int x = cudaSuccess;
