__device__ int active() {
    unsigned long long mask = __activemask();
    return __popcll(mask);
}
