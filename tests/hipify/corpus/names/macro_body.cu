#include <cuda_runtime.h>
#define COPY(d, s, n) \
  cudaMemcpy(d, s, n, \
             cudaMemcpyDefault)
void f(void *d) { COPY(d, d, 4); }
