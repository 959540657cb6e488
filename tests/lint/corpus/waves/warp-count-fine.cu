__global__ void kernel(float *x, int n) {
    int warps = blockDim.x / warpSize;
    int words = n / 32, rows = n >> 5;
    x[0] = warps + words + rows;
}
