#include <cuda_runtime.h>
inline cudaError_t cudaMallocLogged(void **p, size_t n) { return cudaMalloc(p, n); }
void f(void **p) { cudaMallocLogged(p, 4); }
