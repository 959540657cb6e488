template <int W = 32> __device__ int sum(int v) {
    for (int o = W / 2; o > 0; o /= 2) v += __shfl_down(v, o);
    return v;
}
template <typename T, unsigned Lanes = 16> __device__ T of_16(T v) {
    for (unsigned o = Lanes >> 1; o; o >>= 1) v += __shfl_xor(v, o);
    return v;
}
template <int W> __device__ int chosen(int v) {
    for (int o = W / 2; o > 0; o /= 2) v += __shfl_down(v, o);
    return v;
}
template <int W = 32> __device__ int by_width(int v) {
    for (int o = W / 2; o > 0; o /= 2) v += __shfl_down(v, o, W);
    return v;
}
