__device__ float down(float x) {
    for (int offset = 16; offset > 0; offset >>= 1) x += __shfl_down(x, offset);
    for (int offset = 16; offset; offset /= 2) x += __shfl_xor(x, offset);
    for (unsigned i = 32 / 2; i >= 1; i = i >> 1) x += __shfl_down_sync(0xffffffffffffffffull, x, i);
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1) {
        x = max(x, __shfl_xor_sync(0xffffffffffffffffull, x, mask));
    }
    return x;
}
