__device__ unsigned long long votes(bool vote) { return __ballot(vote); }
__device__ int fine(bool vote, int lane) {
    unsigned long long all = __ballot(vote);
    uint64_t active = __activemask();
    auto peers = __match_any_sync(0xffffffffffffffffull, lane);
    bool any = __ballot(vote) != 0;
    int mine = (__ballot(vote) >> lane) & 1;
    unsigned upper = __ballot(vote) >> 32, low = (unsigned)(__ballot(vote) & 0xffffffff);
    int count = __popcll(all & active & peers);
    return any + mine + count + upper + low;
}
