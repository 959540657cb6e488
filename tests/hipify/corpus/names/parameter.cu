#include <cuda_runtime.h>
int f(int cudaSuccess) { return cudaSuccess; }
int g() { return cudaSuccess; }
