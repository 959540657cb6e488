#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define ROW(n) (INDEX / (n))
#define BLOCK blockIdx.x
#define SYNC() __syncthreads()
#define BARRIER __syncthreads()
__global__ void by_index(float *x, int n) {
  if (INDEX >= n) return;
//                ^~~~~~ warning return-before-barrier
  __syncthreads();
  x[INDEX] = 1;
}
__global__ void by_row(float *x, int n) {
  if (ROW(4) >= n) return;
//                 ^~~~~~ warning return-before-barrier
  SYNC();
  x[0] = 1;
}
__global__ void by_block(float *x, int n) {
  if (BLOCK >= n) return;
  SYNC();
  x[0] = 1;
}
__global__ void inside(float *x) {
  if (threadIdx.x < 16) {
    BARRIER;
//  ^~~~~~~ error barrier-in-divergent-code
  }
  x[0] = 1;
}
