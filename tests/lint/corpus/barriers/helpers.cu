#include <cub/cub.cuh>
template <typename T> __device__ T sum_of_block(T x) {
  __shared__ T all;
  if (threadIdx.x == 0) all = 0;
  __syncthreads();
  return all + x;
}
__device__ float outer(float x) { return sum_of_block(x); }
__global__ void through_helper(float* data, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
//            ^~~~~~ warning return-before-barrier
  data[i] = outer(data[i]);
}
__global__ void through_library(float* data, int n) {
  using Reduce = cub::BlockReduce<float, 128>;
  __shared__ typename Reduce::TempStorage storage;
  if (threadIdx.x < n) {
    data[0] = Reduce(storage).Sum(data[threadIdx.x]);
//            ^~~~~~ error barrier-in-divergent-code
  }
}
__global__ void by_name(float* data, int n) {
  if (threadIdx.x >= n) return;
//                      ^~~~~~ warning return-before-barrier
  data[0] = blockReduceSum(data[threadIdx.x]);
}
