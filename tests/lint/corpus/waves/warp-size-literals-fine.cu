__global__ void kernel(float *x, int n) {
    int lane = threadIdx.x % warpSize, planes = 32;
    if (lane == 0) x[0] = 1;
    if (lane < 16) x[1] = 1;
    if (n == 31) x[2] = 1;
    for (int i = threadIdx.x; i < n; i += 32) x[i] = planes * 32;
    for (int i = lane; i < n; i += warpSize) x[i] = 0;
}
