__device__ unsigned long long bit(int lane_id, bool vote) {
    unsigned long long votes = __ballot(vote);
    int lane = threadIdx.x % warpSize;
    unsigned long long mine = 1 << lane_id;
    unsigned long long below = (1u << lane) - 1;
    unsigned long long above = 0xffffffff << lane;
    unsigned long long upto = 0xffffffffu >> (31 - lane);
    unsigned long long rest = ~0u << lane;
    for (int i = 0; i < 64; i++)
        if (votes & (1u << i)) mine++;
    return mine + below + above + upto + rest + (1 << (threadIdx.x & 31));
}
