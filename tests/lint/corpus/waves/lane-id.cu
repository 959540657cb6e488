__global__ void kernel(float *x) {
    int lane = threadIdx.x & 31;
    int tid = threadIdx.x + blockIdx.x * blockDim.x;
    int lane_id = tid % 32, other = threadIdx.x & 0x1f;
    x[tid] = __shfl_xor(x[tid], lane + lane_id + other);
}
__device__ bool first_in_warp() { return (threadIdx.x & 31) == 0; }
