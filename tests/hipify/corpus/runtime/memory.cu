#include <cuda_runtime.h>
int main() {
  float *d;
  cudaMalloc(&d, 64);
  cudaMemcpy(d, d, 64, cudaMemcpyDeviceToDevice);
  cudaFree(d);
}
