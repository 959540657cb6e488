#include <hip/hip_runtime.h>
__device__ int global_index() { return blockIdx.x * blockDim.x + threadIdx.x; }
__global__ void scale(float* out, int n) {
  const int first = global_index();
  const int second = first * 2;
  if (second < n) {
    out[second] = 1.0f;
  } else
    return;
//  ^~~~~~ warning return-before-barrier
  __syncthreads();
}
