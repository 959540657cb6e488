__device__ float exchange(float x) {
    x += __shfl_down(x, 1, 32);
    x += __shfl_xor_sync(0xffffffffffffffffull, x, 1, 32);
    x += __shfl(x, 31, 32);
    x += __shfl_down(x, 1, 16);
    return x + __shfl_down(x, 1, warpSize);
}
