#include <cuda_runtime.h>
void f(void **p) {
  cudaMallocHost(p, 4);
  cudaHostAlloc(p, 4, cudaHostAllocMapped);
  cudaFreeHost(*p);
}
