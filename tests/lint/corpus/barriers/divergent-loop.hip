#include <hip/hip_runtime.h>
__global__ void strided(float* data, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    data[i] *= 2.0f;
    __syncthreads();
//  ^~~~~~~~~~~~~ warning barrier-in-divergent-code
  }
}
