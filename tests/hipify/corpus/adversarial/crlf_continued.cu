#include <cuda_runtime.h>
#define CALL(x) \
	cudaFree(x); \
	cudaMalloc(&x, 3)
// cudaFree \
   cudaFree
int a = cudaSuccess;
