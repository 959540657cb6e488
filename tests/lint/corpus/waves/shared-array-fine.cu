__device__ float second(float value) {
    __shared__ float part[32], tile[32][33];
    int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    if (lane == 0) part[warp] = value;
    tile[lane / 2][0] = value;
    __syncthreads();
    return lane < blockDim.x / warpSize ? part[lane] : 0;
}
