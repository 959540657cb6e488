#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void kernel(float *x) {
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    cg::thread_block_tile<32> other = cg::tiled_partition<32>(block);
    auto four = cg::tiled_partition<4>(block);
    x[threadIdx.x] = warp.shfl_down(x[threadIdx.x], 1) + other.shfl(1.0f, 0) + four.shfl(1.0f, 0);
}
__device__ float sum(cg::thread_block_tile<32> tile, float x) { return tile.shfl_down(x, 1); }
