#define CUDA_API_PER_THREAD_DEFAULT_STREAM
//      ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ warning default-stream
#include <cuda_runtime.h>
__global__ void step(float* p) {}
void run(float* p, cudaStream_t own) {
  step<<<1, 64, 0, cudaStreamPerThread>>>(p);
//                 ^~~~~~~~~~~~~~~~~~~ note default-stream
  step<<<1, 32, 0, cudaStreamPerThread>>>(p);
  step<<<1, 64, 0, cudaStreamLegacy>>>(p);
//                 ^~~~~~~~~~~~~~~~ warning default-stream
  step<<<1, 64, 0, own>>>(p);
  step<<<1, 64, 0, 0>>>(p);
}
