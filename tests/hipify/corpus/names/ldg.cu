#include <cuda_runtime.h>
__global__ void k(const int *p, int i, int *q) { *q = __ldg(p+i); }
