__global__ void kernel(float *x, bool vote) {
    float value = x[threadIdx.x];
    unsigned long long mask = __ballot(value > 0);
    if (value > 0) value += __shfl_down_sync(mask, value, 1);
    x[threadIdx.x] = value;
}
