constexpr unsigned kFullWarpMask = 0xffffffff;
static const unsigned int all_lanes_mask = ~0u;
__device__ int sum(int value, unsigned mask) {
    value += __shfl_down_sync(kFullWarpMask, value, 1);
    return value + __shfl_down_sync(mask, value, 2) + __any_sync((unsigned)value, 1);
}
