__device__ float sum(float value) {
    float total = 0;
    for (int i = 0; i < warpSize; i++) total += __shfl(value, i);
    for (int i = 0; i < 32; i++) total += __shfl(value, i, 32);
    for (int i = 0; i < 8; i++) total += __shfl(value, i);
    for (int i = 0; i < 32; i++) total += __shfl(value, 0) * i;
    for (int i = 1; i < 32; i++) total += __shfl(value, i - 1);
    return total;
}
