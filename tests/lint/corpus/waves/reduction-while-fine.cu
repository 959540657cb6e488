__device__ int falling(int v) {
    int step = warpSize / 2;
    while (step > 0) {
        v += __shfl_down(v, step);
        step >>= 1;
    }
    return v;
}
__device__ int of_rows(int v, const int *rows) {
    int row = 16;
    while (row > 0) {
        v += __shfl(rows[row], 0);
        row >>= 1;
    }
    return v;
}
__device__ int quarters(int v) {
    for (int i = 0; i < 3; ++i) v += __shfl_xor(v, 1 << i);
    for (int i = 0; i < 5; ++i) v += __shfl_xor(v, 1 << i, 32);
    for (int i = 0; i < 1000000000; ++i) v += __shfl_xor(v, 1 << i);
    return v;
}
