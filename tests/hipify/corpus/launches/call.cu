#include <cuda_runtime.h>
void f(void **args, cudaStream_t s) { cudaLaunchKernel((void *)k, dim3(1), dim3(2), args, 0, s); }
