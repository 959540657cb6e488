__global__ void kernel(float *x, int n) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    x[i] += __shfl_down_sync(0xffffffffffffffffull, x[i], 1);
}
