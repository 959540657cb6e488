__global__ void moved(float *x, int n, int m) {
  const int tid = threadIdx.x;
  const int first = blockIdx.x * m + tid;
  for (int i = first; i < n + first; i += m) __syncthreads();
  for (int i = blockIdx.x * m + tid; i < (blockIdx.x + 1) * m + tid; i += 4) {
    __syncthreads();
    x[i] = 1;
  }
  for (int i = tid; i < n; i += m) {
    __syncthreads();
//  ^~~~~~~~~~~~~ warning barrier-in-divergent-code
  }
  for (int i = tid; i < n + tid; i += tid) {
    __syncthreads();
//  ^~~~~~~~~~~~~ warning barrier-in-divergent-code
  }
}
