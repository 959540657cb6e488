__device__ float exchange(unsigned long long mask, float value) {
    int leader = __ffs(mask) - 1;
    return __shfl_sync(mask, value, leader);
}
