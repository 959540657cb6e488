// Softmax of rows, a block a row: maximum and sum by shuffles and LDS; columns are at most 2048.

template <class Op> __device__ float across(float v, Op op, float *part) {
    int lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize, waves = 256 / warpSize;
    for (int step = warpSize / 2; step > 0; step /= 2) v = op(v, __shfl_xor(v, step));
    __syncthreads();
    if (lane == 0) part[wave] = v;
    __syncthreads();
    v = part[0];
    for (int i = 1; i < waves; i++) v = op(v, part[i]);
    return v;
}

extern "C" __global__ __launch_bounds__(256) void softmax(int columns, const float *__restrict__ in, float *__restrict__ out) {
    __shared__ float part[8];
    const float *row = in + (long)blockIdx.x * columns;
    float *to = out + (long)blockIdx.x * columns;
    float v[8], top = -INFINITY, sum = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        int x = i * 256 + threadIdx.x;
        v[i] = x < columns ? row[x] : -INFINITY;
        top = fmaxf(top, v[i]);
    }
    top = across(top, [](float a, float b) { return fmaxf(a, b); }, part);
#pragma unroll
    for (int i = 0; i < 8; i++) {
        v[i] = expf(v[i] - top);
        sum += v[i];
    }
    sum = across(sum, [](float a, float b) { return a + b; }, part);
    float scale = 1.0f / sum;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        int x = i * 256 + threadIdx.x;
        if (x < columns) to[x] = v[i] * scale;
    }
}
