#include <cuda_runtime.h>
int f() { int cudaSuccess = 3; return cudaSuccess; }
int g() { return cudaSuccess; }
