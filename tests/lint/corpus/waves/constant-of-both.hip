#include <hip/hip_runtime.h>
#define WARP_SIZE_32 32u
#define WARP_SIZE_64 64u
constexpr unsigned kWarpSize32 = 32, kWarpSize64 = 64;
#ifndef __AMDGCN_WAVEFRONT_SIZE
#define __AMDGCN_WAVEFRONT_SIZE 64
#endif
#ifndef OWN_WARP_SIZE
#define OWN_WARP_SIZE 32
#endif
__device__ int lane() { return threadIdx.x % OWN_WARP_SIZE + WARP_SIZE_32; }
