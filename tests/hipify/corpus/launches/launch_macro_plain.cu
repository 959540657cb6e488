#include <cuda_runtime.h>
__global__ void k(int *) {}
void f(int *a, cudaStream_t s) {
  k<<<dim3(1,2),256>>>(a);
  k<<<1, 2, 3>>>(a);
  k<<<1, 2, 3, s>>>(a);
}
