__global__ void kernel(float *x) {
    int warp = threadIdx.x >> 5;
    int warp_id = (threadIdx.x + threadIdx.y * blockDim.x) / 32;
    int global_warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    x[warp] = warp_id + global_warp;
}
