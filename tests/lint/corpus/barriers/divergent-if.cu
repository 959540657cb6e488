#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void sum(float* data) {
  cg::thread_block block = cg::this_thread_block();
  int t = threadIdx.x;
  if (threadIdx.x < 64) {
    __syncthreads();
//  ^~~~~~~~~~~~~ error barrier-in-divergent-code
  }
  if (t < 64) block.sync();
//            ^~~~~ warning barrier-in-divergent-code
  while (data[t] > 0) {
    __syncthreads();
//  ^~~~~~~~~~~~~ warning barrier-in-divergent-code
    data[t] -= 1;
  }
}
