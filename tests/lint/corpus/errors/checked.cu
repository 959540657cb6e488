#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) abort(); } while (0)
void cudaMine(int n) {}
cudaError_t run(float* host, int n) {
  float* data;
  CHECK(cudaMalloc(&data, 1024));
  cudaError_t error = cudaMemcpy(data, host, 1024, cudaMemcpyHostToDevice);
  if (cudaDeviceSynchronize() != cudaSuccess) return error;
  (void)cudaFree(data);
  cudaMine(3);
  cudaGetLastError();
  auto text = n ? cudaGetErrorString(error) : nullptr;
  // cudaFree(data);
  return cudaDeviceReset();
}
