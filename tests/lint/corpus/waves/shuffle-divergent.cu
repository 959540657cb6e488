__global__ void kernel(float *x, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x, lane = threadIdx.x % warpSize;
    float value = x[i];
    if (lane < 7) value += __shfl_down(value, 1);
    if (threadIdx.x < 32) value += __shfl_xor_sync(0xffffffffffffffffull, value, 1);
    if (value > 0) {
        value = lane == 3 ? value : 0;
    } else {
        value += __shfl_sync(0xffffffffffffffffull, value, 0);
    }
    for (int j = threadIdx.x; j < n; j += blockDim.x) value += __shfl_up(value, 1);
    x[i] = value;
}
