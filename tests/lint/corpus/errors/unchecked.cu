#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) abort(); } while (0)
int run(float* host, int n) {
  float* data;
  cudaMalloc(&data, 1024);
//^~~~~~~~~~ warning unchecked-call
  if (n) cudaMemcpy(data, host, 1024, cudaMemcpyHostToDevice);
//       ^~~~~~~~~~ warning unchecked-call
  for (int i = 0; i < n; ++i) cudaDeviceSynchronize();
//                            ^~~~~~~~~~~~~~~~~~~~~ warning unchecked-call
  cudaFree(data);
//^~~~~~~~ note unchecked-call
  return 0;
}
