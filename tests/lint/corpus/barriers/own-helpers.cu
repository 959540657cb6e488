__device__ void block_reduce_step(float *x, int i) { x[i] += x[i + 1]; }
__device__ void block_sum_step(float *x, int i) {
  x[i] += x[i + 1];
  __syncthreads();
}
__global__ void reduce(float *x) {
  if (threadIdx.x < 16) {
    block_reduce_step(x, 8);
    block_sum_step(x, 4);
//  ^~~~~~~~~~~~~~ error barrier-in-divergent-code
    blockReduceSum(x);
//  ^~~~~~~~~~~~~~ warning barrier-in-divergent-code
    auto block_sum_all = [&](float *y) { *y += 1; };
    block_sum_all(x);
  }
}
