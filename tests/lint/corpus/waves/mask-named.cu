constexpr unsigned kWarpMask = 31;
constexpr unsigned kAllMask = 0xffffffffu;
#define LANE_MASK 0x1f
#define FULL_MASK 0xFFFFFFFF
__device__ int f(int i) { return i & kWarpMask & LANE_MASK; }
