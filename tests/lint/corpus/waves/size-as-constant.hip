#include <hip/hip_runtime.h>
#define NUM_WARPS (1024 / warpSize)
template <int N> __device__ int of() { return N; }
__global__ void kernel(float *x) {
    __shared__ float part[1024 / warpSize];
    __shared__ float sums[NUM_WARPS];
    constexpr int half = warpSize / 2;
    const int count = 256 / warpSize;
    float each[count];
    static_assert(warpSize == 64);
    switch (blockDim.x) {
    case warpSize: x[1] = of<warpSize>(); break;
    }
    x[0] = part[0] + sums[0] + half + each[0];
}
