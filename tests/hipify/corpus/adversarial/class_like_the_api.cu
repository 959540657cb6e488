#include <cuda_runtime.h>
class Dev {
 public:
  Dev() : cudaStream(0) {}
  cudaStream_t cudaStream;
  void cudaDeviceSynchronize() const;
  static int cudaMalloc(void **p, size_t n) { return ::cudaMalloc(p, n); }
};
void Dev::cudaDeviceSynchronize() const { ::cudaDeviceSynchronize(); this->cudaDeviceSynchronize(); }
void f(Dev *d) { d->cudaDeviceSynchronize(); Dev::cudaMalloc(0, 0); cudaDeviceSynchronize(); }
