#include <hip/hip_runtime.h>
__global__ void kernel(float *x, int n) {
    __shared__ float part[32];
    const int lane = threadIdx.x % warpSize;
    for (int i = 0; i < warpSize; i++) part[i % 32] = n > warpSize ? 1 : 0;
    x[lane / warpSize] = part[threadIdx.x / warpSize];
    if (n < warpSize && n > 3) x[0] = 1;
}
int host(int *sizes) {
    hipDeviceProp_t properties;
    if (hipGetDeviceProperties(&properties, 0) != hipSuccess) return 0;
    return sizes[properties.warpSize / 64];
}
