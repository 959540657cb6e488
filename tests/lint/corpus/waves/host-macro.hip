#include <hip/hip_runtime.h>
#ifdef __GFX9__
#define WARP_SIZE 64
#else
#define WARP_SIZE 32
#endif
__global__ void kernel() { int lane = threadIdx.x % WARP_SIZE; (void)lane; }
void start(int n) { kernel<<<n, WARP_SIZE * 4>>>(); }
void other(int n) { hipLaunchKernelGGL(kernel, dim3(n), dim3(__AMDGCN_WAVEFRONT_SIZE), 0, 0); }
