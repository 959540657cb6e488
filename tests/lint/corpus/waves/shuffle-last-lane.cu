__device__ int total(int scanned) {
    return __shfl(scanned, 31) + __shfl_sync(0xffffffffffffffffull, scanned, 32 - 1) + __shfl(scanned, 0)
        + __shfl(scanned, warpSize - 1) + __shfl_xor(scanned, 31);
}
