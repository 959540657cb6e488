#define CUDA_KERNEL_LOOP(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
__global__ void add(float* data, int n) {
  CUDA_KERNEL_LOOP(i, n) {
    data[i] += 1.0f;
    __syncthreads();
//  ^~~~~~~~~~~~~ warning barrier-in-divergent-code
  }
}
