__device__ void publish(unsigned *bits, unsigned long long *wide, bool p, int i) {
    atomicOr(bits, __ballot(p));
    atomicOr(wide, __ballot(p));
    atomicAdd(bits, __popcll(__ballot(p)));
    if (__ballot(p) & (1 << i)) bits[0] = 1;
    if ((1u << i) & __ballot(p)) bits[1] = 1;
    if (bits[i] & (1u << i)) bits[2] = 1;
}
