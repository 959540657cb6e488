#include <cuda_runtime.h>
int x = cudaSuccess;
#include <cuda.h>