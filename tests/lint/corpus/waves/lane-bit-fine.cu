__device__ unsigned long long bit(int lane, unsigned flags, int shift) {
    unsigned long long mine = 1ull << lane;
    unsigned long long below = (1ULL << lane) - 1;
    unsigned flag = flags & (1u << shift);
    int size = 1 << 5;
    printf("%d\n", 1 << shift);
    return mine + below + flag + size;
}
