#include <hip/hip_runtime.h>
#define WARP_SIZE_32 32u
__device__ int lane() { return threadIdx.x % WARP_SIZE_32; }
