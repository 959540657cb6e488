#include <cuda_runtime.h>
extern "C" cudaError_t cudaMalloc(void **p, size_t n) {
  return real(p, n);
}
