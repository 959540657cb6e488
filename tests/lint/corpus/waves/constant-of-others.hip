#include <hip/hip_runtime.h>
constexpr int kMaxWarpSize = 64;
#define MIN_WARP_SIZE 32
constexpr int EMULATED_WARP_SIZE = 32;
constexpr int HALF_WARP_SIZE = 32;
constexpr int LOGICAL_WARP_SIZE = 32;
__device__ int f() { return kMaxWarpSize + MIN_WARP_SIZE + EMULATED_WARP_SIZE + HALF_WARP_SIZE + LOGICAL_WARP_SIZE; }
