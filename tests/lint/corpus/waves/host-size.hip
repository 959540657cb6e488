#include <hip/hip_runtime.h>
#define THREADS (4 * warpSize)
__global__ void kernel() {}
void start(int n) {
    dim3 block(warpSize, 4);
    kernel<<<n, block>>>();
    kernel<<<n, THREADS>>>();
}
__device__ int device() { return warpSize; }
