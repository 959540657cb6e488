#include <cuda_runtime.h>
void f() { at::cuda::getStream(); c10::cuda::CUDAGuard guard(0); my::cudaSuccess; }
