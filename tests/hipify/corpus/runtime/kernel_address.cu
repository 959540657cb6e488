#include <cuda_runtime.h>
__global__ void k(int *) {}
template <class T, int N> __global__ void t(T *) {}
void f() {
  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 16);
  cudaFuncSetAttribute(t<int, 2>, cudaFuncAttributeMaxDynamicSharedMemorySize, 1);
  cudaFuncSetCacheConfig((const void *)k, cudaFuncCachePreferL1);
  cudaFuncAttributes a;
  cudaFuncGetAttributes(&a, k);
}
