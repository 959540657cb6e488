#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ float blocks_of_32(float v, int *out) {
    const int i0 = (blockDim.x * blockIdx.x + threadIdx.x) * 4;
    const int iqs = i0 % 128;
    if (iqs % 32 == 0) out[iqs / 64] = 1;
    const int half = threadIdx.x / 2;
    out[half % 32] = __shfl_xor(v, 1);
    out[min(threadIdx.x, 7u) % 32] = 0;
    return v;
}
template <int warp_size> __device__ int column() {
    constexpr int columns = 32;
    return warp_size > columns ? threadIdx.x % columns : threadIdx.x;
}
__device__ float linear(float v, int *out) {
    const int tid = threadIdx.y * blockDim.x + threadIdx.x;
    const int lane = (int)tid % 32;
    const int warp = static_cast<int>(threadIdx.x + 64) / 32;
    const int rank = cg::this_thread_block().thread_rank() % 32;
    const int id = int(blockIdx.x * blockDim.x + threadIdx.x);
    out[id & 31] = warp + rank;
    return __shfl(v, lane);
}
