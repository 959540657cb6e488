#include <hip/hip_runtime.h>
#ifdef __GFX9__
#define WARP_SIZE 64
#else
#define WARP_SIZE 32
#endif
__global__ void kernel() { int lane = threadIdx.x % WARP_SIZE; (void)lane; }
void start(int n) { kernel<<<n, 256>>>(); }
