__device__ float sum(float value) {
    float total = 0;
    for (int i = 0; i < 32; i++) total += __shfl(value, i);
    for (int i = 0; i <= 31; ++i) total += __shfl_sync(~0ull, value, i);
    for (int i = 0; i < 64; ++i) total += __shfl(value, i);
    return total;
}
