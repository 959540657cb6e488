#include <thrust/execution_policy.h>
#include <thrust/system/cuda/execution_policy.h>
void f(cudaStream_t s, int *p) { thrust::sort(thrust::cuda::par.on(s), p, p + 4); }
