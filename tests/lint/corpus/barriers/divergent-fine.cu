__global__ void tree(float* data, int n) {
  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) {
      data[threadIdx.x] += data[threadIdx.x + stride];
    }
    __syncthreads();
  }
  if (n > 3) __syncthreads();
  if (blockIdx.x == 0) { __syncthreads(); }
  for (int t = 0; t < n; ++t) { __syncthreads(); }
  if (threadIdx.x == 0) { __threadfence(); __syncwarp(); }
}
#if defined(__NVCC__)
__global__ void not_on_amd(float* data) { if (threadIdx.x < 3) __syncthreads(); }
#endif
