#include <cuda_runtime.h>
void f() {
  auto &[cudaA, cudaB] = pair();
  use(cudaA, cudaB);
  auto l = [cudaP = 3, &cudaQ = x](int cudaR) { return cudaP + cudaQ + cudaR; };
  x[cudaSuccess] = a[cudaMemcpyHostToDevice];
  auto m = [=, cudaS](cudaStream_t cudaS) { use(cudaS); };
}
