#include <cuda_runtime.h>
void f() {
  cudaBrandNewThing(1);
  int x = cudaSuccess + cudaNoSuchNumber;
}
