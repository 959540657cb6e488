__device__ float second(float value) {
    __shared__ float part[32];
    int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    if (lane == 0) part[warp] = value;
    __syncthreads();
    value = part[lane];
    return value;
}
