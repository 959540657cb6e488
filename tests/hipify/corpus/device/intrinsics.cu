#include <cuda_runtime.h>
__global__ void k(float *p, unsigned m) { p[0] = __fadd_rd(p[1], __expf(p[2])); __syncthreads(); p[3] = __shfl_down_sync(m, p[0], 1); }
