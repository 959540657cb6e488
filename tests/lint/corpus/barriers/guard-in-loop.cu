__global__ void rounds(float* data, int n) {
  for (int round = 0; round < n; ++round) {
    __syncthreads();
    if (data[threadIdx.x] < 0.0f) return;
//                                ^~~~~~ warning return-before-barrier
  }
}
