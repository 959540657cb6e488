#define LANE (threadIdx.x & 31)
#define WARP_ID (threadIdx.x >> 5)
#define WARPS(n) (((n) + 31) / 32)
#define TILE_COLUMN (threadIdx.x & 31)
__device__ int casts(int v) {
    int lane = threadIdx.x % (int)32u;
    lane += threadIdx.x & (unsigned)0x1f;
    lane += int(threadIdx.x) & static_cast<int>(31);
    return __shfl_sync(v, v, lane);
}
__device__ int first_of_warp(int v) {
    const int first = threadIdx.x & ~31;
    return first + (threadIdx.x & 0xffffffe0) + __shfl(v, 0);
}
__device__ bool last(int v) {
    const auto l = LANE;
    return l == 31;
}
