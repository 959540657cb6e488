#define FULL_MASK 0xffffffffffffffffull
constexpr unsigned long long kFullWarpMask = ~0ull;
using mask_t = unsigned long long;
__device__ int sum(int value, mask_t mask) {
    unsigned hash_mask = 0xffffffff;
    value += __shfl_down_sync(FULL_MASK, value & hash_mask, 1);
    value += __shfl_down_sync(kFullWarpMask, value, 2);
    value += __shfl_down_sync(mask, value, 4);
    return value + __shfl_down_sync(0xffffffffull, value, 8);
}
