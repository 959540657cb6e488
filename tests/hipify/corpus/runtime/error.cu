#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) printf("%s", cudaGetErrorString(e)); } while (0)
void f() { CHECK(cudaDeviceSynchronize()); }
