template <typename T> __device__ T warp_sum(T x) {
    for (int offset = 16; offset > 0; offset >>= 1) x += WARP_SHFL_DOWN(x, offset);
    return x;
}
