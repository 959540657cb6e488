#include <cuda_runtime.h>
cudaError_t (*allocate)(void **, size_t) = &cudaMalloc;
auto release = cudaFree;
