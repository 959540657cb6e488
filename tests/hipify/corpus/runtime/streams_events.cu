#include <cuda_runtime.h>
void f() {
  cudaStream_t s; cudaEvent_t e;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaEventCreate(&e); cudaEventRecord(e, s);
  cudaStreamWaitEvent(s, e, 0);
}
