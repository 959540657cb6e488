#define LANE (threadIdx.x % warpSize)
#define COLUMN (threadIdx.x & 15)
__device__ int aligned(int v) {
    return (v & ~31) + (threadIdx.x & ~3);
}
__device__ int half_warp(int v) {
    const int lane = threadIdx.x & (unsigned)15;
    return __shfl(v, lane, 16);
}
__device__ unsigned hash(unsigned x) {
    return (x << 5) ^ (x >> 27) ^ (x & (unsigned)31);
}
