// Kernels that the memory bounds: vector add, triad, transpose through LDS.

extern "C" __global__ __launch_bounds__(256) void add(int n, const float *__restrict__ a, const float *__restrict__ b,
                                                      float *__restrict__ c) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

extern "C" __global__ __launch_bounds__(256) void triad(int n, float scale, const float *__restrict__ a,
                                                        const float *__restrict__ b, float *__restrict__ c) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) c[i] = a[i] + scale * b[i];
}

// Tiles of 32 x 32 through LDS, a column of padding against bank conflicts; blocks of 32 x 8. n is a multiple of 32.
extern "C" __global__ __launch_bounds__(256) void transpose(int n, const float *__restrict__ in, float *__restrict__ out) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
