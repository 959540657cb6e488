#include <cuda_runtime.h>
int a = cudaSuccess; /* never closed cudaFree
int b = cudaSuccess;
