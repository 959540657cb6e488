__global__ void kernel(float *x) { x[threadIdx.x] = 0; }
void start(float *x, int threads) {
    int num_warps = threads / 32, words = threads / 32;
    kernel<<<words, 256, num_warps * sizeof(float)>>>(x);
}
