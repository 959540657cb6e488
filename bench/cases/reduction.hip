// Sums and counts: a tree in LDS, wave shuffles, a histogram with atomics.

// One sum for each block of 256 numbers; nine barriers.
extern "C" __global__ __launch_bounds__(256) void tree(const float *__restrict__ in, float *__restrict__ out) {
    __shared__ float part[256];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (t < step) part[t] += part[t + step];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

// One sum for each block of 1024 numbers: four a thread, then shuffles, then the waves' sums through LDS.
extern "C" __global__ __launch_bounds__(256) void shuffle(const float4 *__restrict__ in, float *__restrict__ out) {
    __shared__ float part[8];
    int t = threadIdx.x, lane = t % warpSize, wave = t / warpSize, waves = 256 / warpSize;
    float4 v = in[blockIdx.x * 256 + t];
    float sum = (v.x + v.y) + (v.z + v.w);
    for (int step = warpSize / 2; step > 0; step /= 2) sum += __shfl_down(sum, step);
    if (lane == 0) part[wave] = sum;
    __syncthreads();
    if (wave == 0) {
        sum = lane < waves ? part[lane] : 0.0f;
        for (int step = waves / 2; step > 0; step /= 2) sum += __shfl_down(sum, step);
        if (lane == 0) out[blockIdx.x] = sum;
    }
}

// Counts of 256 values: each block counts in LDS, then adds its counts to the result. n is a number of words.
extern "C" __global__ __launch_bounds__(256) void histogram(int n, const unsigned *__restrict__ in, unsigned *__restrict__ out) {
    __shared__ unsigned count[256];
    int t = threadIdx.x;
    count[t] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) {
        unsigned word = in[i];
        for (int b = 0; b < 4; b++) atomicAdd(&count[word >> (8 * b) & 255], 1u);
    }
    __syncthreads();
    atomicAdd(&out[t], count[t]);
}
