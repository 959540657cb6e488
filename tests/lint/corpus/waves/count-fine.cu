__device__ int bits(unsigned word, unsigned long long wide, bool vote) {
    unsigned long long votes = __ballot(vote);
    return __popc(word) + __popcll(votes) + __ffsll(votes) + __clz(word) + __popc(__popcll(votes));
}
