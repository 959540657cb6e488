template <int Size> __global__ void plain(float *x, int tid) {
    __shared__ float part[256];
    if (tid < 32) {
        part[tid] += part[tid + 32];
        part[tid] += part[tid + 16];
        part[tid] += part[tid + 8];
    }
    x[tid] = part[tid];
}
__device__ void race(volatile float *part, int tid) {
    if (tid < 64) {
        part[tid] = part[tid] + part[tid + 64];
        part[tid] = part[tid] + part[tid + 32];
        part[tid] = part[tid] + part[tid + 16];
    }
}
__device__ void fine(volatile float *part, float *other, int tid) {
    if (tid < 32) {
        part[tid] += part[tid + 32];
        part[tid] += part[tid + 16];
        part[tid] += part[tid + 8];
    }
    other[tid] += other[tid + 32];
    __syncthreads();
    other[tid] += other[tid + 16];
    __syncthreads();
    other[tid] += other[tid + 8];
}
