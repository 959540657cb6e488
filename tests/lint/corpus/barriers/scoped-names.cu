__global__ void scoped(float *x, int n) {
  __shared__ float part[64];
  for (int j = threadIdx.x; j < 64; j += blockDim.x) part[j] = x[j];
  for (int j = 0; j < n; ++j) {
    __syncthreads();
    part[threadIdx.x] += x[j];
  }
  {
    int i = threadIdx.x;
    x[i] = part[i];
  }
  int i = 0;
  while (i < n) {
    __syncthreads();
    i++;
  }
  int k = threadIdx.x;
  for (int k = 0; k < n; ++k) __syncthreads();
  if (k < n) {
    __syncthreads();
//  ^~~~~~~~~~~~~ warning barrier-in-divergent-code
  }
}
