__global__ void kernel(float *x) {
    const int warpSize = 16;
    __shared__ float part[1024 / warpSize];
    x[0] = part[0];
}
