// fp32 matrix products: the naive one, a thread an element, and one through LDS in tiles of 16 x 16.

extern "C" __global__ __launch_bounds__(64) void naive(int n, const float *__restrict__ a, const float *__restrict__ b,
                                                       float *__restrict__ c) {
    int col = blockIdx.x * 64 + threadIdx.x, row = blockIdx.y;
    float acc = 0;
#pragma unroll 4
    for (int k = 0; k < n; k++) acc += a[row * n + k] * b[k * n + col];
    c[row * n + col] = acc;
}

extern "C" __global__ __launch_bounds__(256) void tiled(int n, const float *__restrict__ a, const float *__restrict__ b,
                                                        float *__restrict__ c) {
    __shared__ float ta[16][16], tb[16][16];
    int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float acc = 0;
    for (int k = 0; k < n; k += 16) {
        ta[y][x] = a[row * n + k + x];
        tb[y][x] = b[(k + y) * n + col];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++) acc += ta[y][i] * tb[i][x];
        __syncthreads();
    }
    c[row * n + col] = acc;
}
