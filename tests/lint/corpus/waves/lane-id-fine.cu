__global__ void transpose(float *x, int n) {
    int column = threadIdx.x % 32;
    int bank = n & 31, hash = n % 32;
    int lane = threadIdx.x % warpSize, other = threadIdx.x & (warpSize - 1);
    x[column] = bank + hash + lane + other;
}
