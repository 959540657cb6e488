__global__ void kernel(float *x, int n) {
    int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    if (lane == 31) x[0] = 1;
    if (lane < 32 && n > 3) x[1] = 1;
    for (int i = lane; i < n; i += 32) x[i] = 0;
    for (int i = 4 * lane; i < n; i += 32 * 4) x[i] = 0;
    float *row = x + warp * 32, *other = x + (warp << 5);
    row[0] = other[0];
}
template <int WarpsPerBlock> __global__ void __launch_bounds__(WarpsPerBlock * 32) bounded() {}
void start(int num_warps) { bounded<4><<<1, 32 * num_warps>>>(); }
