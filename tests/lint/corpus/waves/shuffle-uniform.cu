template <bool More> __global__ void kernel(float *x, int n) {
    int warp_id = threadIdx.x / warpSize;
    float value = x[threadIdx.x];
    if (n > 4) value += __shfl_down(value, 1);
    if (warp_id == 0) value += __shfl_down(value, 2);
    if (threadIdx.x < warpSize) value += __shfl_down(value, 3);
    if (threadIdx.x < 64) value += __shfl_down(value, 3);
    if constexpr (More) value += __shfl_down(value, 4);
    for (int i = 0; i < n; i++) value += __shfl_down(value, 5);
    if (__any(value > 0)) value += __shfl_down(value, 6);
    if (blockIdx.x == 0) value += __shfl_down(value, 7);
    x[threadIdx.x] = value;
}
