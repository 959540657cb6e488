#include <cuda_runtime.h>
void f(int *v) { cudaDeviceGetAttribute(v, cudaDevAttrMultiProcessorCount, 0); }
