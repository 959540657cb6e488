__device__ int scan(int x, int lane) {
    for (int d = 1; d < 32; d <<= 1) {
        int y = __shfl_up(x, d);
        if (lane >= d) x += y;
    }
    for (int d = 1; d <= 16; d *= 2) x += __shfl_xor(x, d);
    return x;
}
