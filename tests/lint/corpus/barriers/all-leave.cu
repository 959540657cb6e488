__global__ void either(float *x, int n, bool plain) {
  const int i = threadIdx.x;
  if (plain) {
    if (i >= n) return;
    x[i] = 1;
    return;
  }
  __syncthreads();
  x[i] = 2;
}
__global__ void some(float *x, int n) {
  const int i = threadIdx.x;
  if (i > 3) {
    if (i >= n) return;
//              ^~~~~~ warning return-before-barrier
    x[i] = 1;
    return;
//  ^~~~~~ warning return-before-barrier
  }
  __syncthreads();
  x[i] = 2;
}
__global__ void both_sides(float *x) {
  if (threadIdx.y % 2 == 0) {
    x[0] = 1;
    __syncthreads();
//  ^~~~~~~~~~~~~ warning barrier-in-divergent-code
  } else {
    __syncthreads();
//  ^~~~~~~~~~~~~ warning barrier-in-divergent-code
  }
}
