#include <hip/hip_runtime.h>
__global__ void kernel() {}
void start(int n) {
    hipDeviceProp_t properties;
    if (hipGetDeviceProperties(&properties, 0) != hipSuccess) return;
    int warpSize = properties.warpSize;
    kernel<<<n, warpSize>>>();
}
