__device__ bool last(int lane) {
    if (laneid() == 31 || __lane_id() >= 32) return true;
    if (31 == lane) return true;
    if (lane + 1 == 32 || 31 == lane + 1) return true;
    return lane == 30 || size() == 31;
}
__device__ int beside(int v, int lane) {
    v += __shfl(v, (lane + 1) & 31);
    v += __shfl(v, (1 + lane) % 32);
    v += __shfl(v, (lane + 1) % 16, 16);
    return __shfl(v, (v + 1) & 31) + (lane & 31);
}
