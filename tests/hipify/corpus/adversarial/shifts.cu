#include <cuda_runtime.h>
__global__ void k(int *p);
void f() {
  kern<float, (1 > 2)><<<dim3(1, 2), std::max<int>(3, 4), sizeof(float) * 3, s>>>(a, b);
  k<<<g, b>>>(x >> 3, y<<2);
  v = std::vector<std::vector<std::vector<cudaStream_t>>>();
  x = y<<<z;
  k<<<1, 1>>>(m[cudaMemcpyHostToDevice] >>= 1);
}
