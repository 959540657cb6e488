#include <cuda_runtime.h>
#define cudaCheck(x) (x)
cudaCheck(cudaFree(0));
#undef cudaCheck
#ifndef cudaMemAttachGlobal
#define cudaMemAttachGlobal 1
#endif
int a = cudaMemAttachGlobal;
#define MY_CUDA_VERSION CUDA_VERSION
#define STR(x) #x
const char *z = STR(cudaMalloc);
