#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void named(float* data, int n) {
  cg::thread_block g = cg::this_thread_block();
  auto everyone = cg::this_grid();
  if (threadIdx.x < n) {
    g.sync();
//  ^ error barrier-in-divergent-code
    cg::this_thread_block().sync();
//      ^~~~~~~~~~~~~~~~~ error barrier-in-divergent-code
    cg::sync(g);
//      ^~~~ error barrier-in-divergent-code
    everyone.sync();
//  ^~~~~~~~ error barrier-in-divergent-code
  }
}
__device__ void guarded(cg::thread_block b, float* data, int i, int n) {
  if (i >= n) return;
//            ^~~~~~ warning return-before-barrier
  b.sync();
}
__device__ void uniform(cg::thread_block b, float* data, int i, int n) {
  if (i >= n) return;
  b.sync();
}
__global__ void calls(float* data, int n) {
  guarded(cg::this_thread_block(), data, threadIdx.x, n);
  uniform(cg::this_thread_block(), data, blockIdx.x, n);
}
__global__ void tiles(float* data, int n) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  if (threadIdx.x / 16 < n) tile.sync();
}
