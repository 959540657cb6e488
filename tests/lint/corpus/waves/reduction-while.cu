__device__ int falling(int v) {
    int step = 16;
    while (step > 0) {
        v += __shfl_down(v, step);
        step >>= 1;
    }
    return v;
}
__device__ int behind(int v) {
    int step = 16;
    do {
        v += __shfl_xor(v, step);
        step = step / 2;
    } while (step);
    return v;
}
__device__ int rising(int v) {
    int step = 1;
    while (step < 32) {
        v += __shfl_up(v, step);
        step *= 2;
    }
    return v;
}
__device__ int exponents(int v) {
    for (int i = 0; i < 5; ++i) v += __shfl_xor(v, 1 << i);
    for (int i = 4; i >= 0; i--) v += __shfl_xor(v, (1 << i));
    for (int i = 0; i <= 4; ++i) v += __shfl_down(v, 16 >> i);
    return v;
}
__device__ int beyond(int v) {
    for (int i = 0; i < 6; ++i) v += __shfl_xor(v, 1 << i);
    return v;
}
