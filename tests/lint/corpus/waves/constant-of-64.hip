#include <hip/hip_runtime.h>
#define WAVEFRONT_SIZE 64
__device__ int lane() { return threadIdx.x % WAVEFRONT_SIZE; }
__device__ int lane_id() { int lane = threadIdx.x & 63; return lane + __shfl(lane, 0); }
__device__ int tile() { return threadIdx.x & 63; }
