__device__ int rank(bool vote, unsigned long long below) {
    unsigned long long votes = __ballot(vote);
    int before = __popc(votes & below);
    int leader = __ffs(votes) - 1;
    int last = 31 - __clz(votes);
    return before + leader + last + __builtin_popcount(__ballot(vote)) + __popc(__activemask());
}
