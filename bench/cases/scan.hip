// Inclusive sums in one pass (decoupled look-back): a block takes a ticket, sums its 1024 numbers, publishes the sum, and
// adds up what the blocks before it have published until it meets one that knows its whole prefix.
// state[0] is the next ticket; state[1 + i] is block i's flag (high word: 1 own sum, 2 whole prefix) and value.

extern "C" __global__ __launch_bounds__(256) void scan(const int4 *__restrict__ in, int4 *__restrict__ out, unsigned long long *state) {
    __shared__ unsigned ticket;
    __shared__ int part[8], before;
    int t = threadIdx.x, lane = t % warpSize, wave = t / warpSize, waves = 256 / warpSize;
    if (t == 0) ticket = (unsigned)atomicAdd(&state[0], 1ull);
    __syncthreads();
    unsigned block = ticket;
    int4 v = in[block * 256 + t];
    v.y += v.x, v.z += v.y, v.w += v.z;
    int sum = v.w;
    for (int step = 1; step < warpSize; step *= 2) {
        int from = __shfl_up(sum, step);
        if (lane >= step) sum += from;
    }
    if (lane == warpSize - 1) part[wave] = sum;
    __syncthreads();
    int below = sum - v.w, all = 0;
    for (int w = 0; w < waves; w++) {
        below += w < wave ? part[w] : 0;
        all += part[w];
    }
    if (t == 0) {
        unsigned long long *mine = state + 1 + block;
        int prefix = 0;
        if (block > 0) {
            __hip_atomic_store(mine, 1ull << 32 | (unsigned)all, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
            for (unsigned long long *from = mine - 1;;) {
                unsigned long long seen = __hip_atomic_load(from, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
                if (seen >> 32 == 0) continue;  // not published yet
                prefix += (int)(unsigned)seen;
                if (seen >> 32 == 2) break;
                from--;
            }
        }
        __hip_atomic_store(mine, 2ull << 32 | (unsigned)(prefix + all), __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
        before = prefix;
    }
    __syncthreads();
    below += before;
    out[block * 256 + t] = make_int4(v.x + below, v.y + below, v.z + below, v.w + below);
}
