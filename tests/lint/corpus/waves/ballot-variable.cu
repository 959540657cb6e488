__global__ void kernel(const float *x, unsigned *out) {
    unsigned votes = __ballot_sync(0xffffffffull, x[threadIdx.x] > 0);
    const unsigned int more =
        __ballot_sync(0xffffffffull, x[threadIdx.x] > 1);
    int active = __activemask();
    uint32_t peers = __match_any_sync(0xffffffffull, votes);
    std::uint32_t one, two = __ballot(x[0] > 2);
    one = __ballot(x[0] > 3);
    out[0] = __ballot(x[0] > 4);
    unsigned again = votes & more;
}
