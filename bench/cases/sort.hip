// One stable pass of a radix sort by four bits: counts of blocks, their scan, the move. A block takes 1024 keys.

constexpr int kKeys = 1024, kDigits = 16;

extern "C" __global__ __launch_bounds__(256) void count_digits(int shift, const unsigned *__restrict__ in, unsigned *__restrict__ counts) {
    __shared__ unsigned count[kDigits];
    int t = threadIdx.x;
    if (t < kDigits) count[t] = 0;
    __syncthreads();
    for (int i = t; i < kKeys; i += 256) atomicAdd(&count[in[blockIdx.x * kKeys + i] >> shift & 15], 1u);
    __syncthreads();
    if (t < kDigits) counts[t * gridDim.x + blockIdx.x] = count[t];  // digit by digit: the scan gives the places
}

// Exclusive sums in place, by one block of 1024 threads.
extern "C" __global__ __launch_bounds__(1024) void scan_counts(int n, unsigned *__restrict__ counts) {
    __shared__ unsigned part[32];
    int t = threadIdx.x, lane = t % warpSize, wave = t / warpSize, waves = 1024 / warpSize;
    unsigned before = 0;
    for (int start = 0; start < n; start += 1024) {
        unsigned own = start + t < n ? counts[start + t] : 0, v = own;
        for (int step = 1; step < warpSize; step *= 2) {
            unsigned from = __shfl_up(v, step);
            if (lane >= step) v += from;
        }
        if (lane == warpSize - 1) part[wave] = v;
        __syncthreads();
        unsigned below = 0, all = 0;
        for (int w = 0; w < waves; w++) {
            below += w < wave ? part[w] : 0;
            all += part[w];
        }
        if (start + t < n) counts[start + t] = before + below + v - own;
        before += all;
        __syncthreads();
    }
}

extern "C" __global__ __launch_bounds__(256) void move_keys(int shift, const unsigned *__restrict__ in, const unsigned *__restrict__ places,
                                                            unsigned *__restrict__ out) {
    __shared__ unsigned place[kDigits], seen[8][kDigits];
    int t = threadIdx.x, lane = t % warpSize, wave = t / warpSize, waves = 256 / warpSize;
    if (t < kDigits) place[t] = places[t * gridDim.x + blockIdx.x];
    for (int i = 0; i < kKeys; i += 256) {
        unsigned key = in[blockIdx.x * kKeys + i + t], digit = key >> shift & 15;
        unsigned long long same = ~0ull;  // lanes of the wave with this lane's digit
        for (int b = 0; b < 4; b++) {
            unsigned long long set = __ballot(digit >> b & 1);
            same &= digit >> b & 1 ? set : ~set;
        }
        if (warpSize == 32) same &= 0xffffffffull;
        unsigned rank = __popcll(same & ((1ull << lane) - 1));
        if (t < waves * kDigits) seen[t / kDigits][t % kDigits] = 0;
        __syncthreads();
        if (rank == 0) seen[wave][digit] = __popcll(same);
        __syncthreads();
        unsigned to = place[digit] + rank;
        for (int w = 0; w < wave; w++) to += seen[w][digit];
        out[to] = key;
        __syncthreads();
        if (t < kDigits)
            for (int w = 0; w < waves; w++) place[t] += seen[w][t];
        __syncthreads();
    }
}
