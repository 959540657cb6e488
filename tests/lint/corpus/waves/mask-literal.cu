__device__ float sum(float value) {
    value += __shfl_xor_sync(0xffffffff, value, 1);
    value += __shfl_xor_sync(0xFFFFFFFFu, value, 2);
    value += __shfl_xor_sync(~0u, value, 4);
    value += __shfl_xor_sync(-1, value, 8);
    value += __shfl_xor_sync(0x0000ffff, value, 1);
    __syncwarp(0xffffffff);
    return value;
}
