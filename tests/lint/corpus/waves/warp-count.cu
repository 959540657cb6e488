__global__ void kernel(float *x) {
    int warps = blockDim.x / 32;
    int num_warps = (blockDim.x + 31) / 32;
    int n_warps = blockDim.x >> 5;
    x[0] = warps + num_warps + n_warps;
}
template <int THREADS> __device__ int parts() { __shared__ int warp_part[THREADS / 32]; return warp_part[0]; }
