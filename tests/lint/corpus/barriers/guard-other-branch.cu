__global__ void choose(float* data, int n) {
  if (threadIdx.x + n > 5 && n) {
    return;
  } else {
    __syncthreads();
//  ^~~~~~~~~~~~~ error barrier-in-divergent-code
  }
}
