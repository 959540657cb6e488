#if 1
#include <cuda_runtime.h>
int a = cudaSuccess;