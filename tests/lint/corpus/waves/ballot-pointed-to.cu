__device__ void share(unsigned *to, bool vote) {
    unsigned votes = __ballot(vote);
    atomicOr(to, votes);
    unsigned others = __ballot(!vote);
    memcpy(to, &others, sizeof(others));
    unsigned third = __ballot(true) & others;
    to[0] = third;
}
