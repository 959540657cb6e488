#include <cuda_runtime.h>
struct A { int cudaMalloc; void cudaFree(); };
void f(A a, A *b) {
  a.cudaMalloc = 1;
  b->cudaFree();
  void *p; cudaMalloc(&p, 4);
  cudaFree(p);
}
