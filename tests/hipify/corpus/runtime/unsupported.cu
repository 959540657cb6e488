#include <cuda_runtime.h>
void f(cudaStream_t s) {
  cudaGLSetGLDevice(0);
  cudaGraphicsMapFlags flags = cudaGraphicsMapFlagsNone;
}
