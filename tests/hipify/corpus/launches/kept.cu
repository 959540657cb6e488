#include <cuda_runtime.h>
__global__ void k(int *) {}
void f(int *a) { k<<<dim3(1,2),256>>>(a); }
