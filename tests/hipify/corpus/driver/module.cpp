#include <cuda.h>
void f() {
  CUmodule m; CUfunction k; CUdeviceptr d;
  cuInit(0);
  cuModuleLoad(&m, "cuda_kernels.cubin");
  cuModuleGetFunction(&k, m, "cudaKernel");
  cuMemAlloc(&d, 4);
}
