__device__ unsigned votes(bool vote) { return __ballot(vote); }
__device__ static inline uint32_t lower(bool vote, int lane) {
    return __ballot(vote) & ((1ull << lane) - 1);
}
__device__ int position(unsigned mask) { return mask; }
__device__ int call(bool vote) { return position(__ballot(vote)); }
__device__ int casts(bool vote) {
    return (unsigned)__ballot(vote) + static_cast<int>(__ballot(vote)) + unsigned(__ballot(vote));
}
