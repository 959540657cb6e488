#include <cuda_runtime.h>
#define cudaCheck(x) check(x)
#define CUDA_SAFE(x) (x)
void f() { cudaCheck(cudaGetLastError()); CUDA_SAFE(cudaPeekAtLastError()); }
