// Prices of European call and put options. FAST takes the hardware's own exp, log and division.

#ifdef FAST
#define EXP(x) __expf(x)
#define LOG(x) __logf(x)
#define DIVIDE(a, b) __fdividef(a, b)
#else
#define EXP(x) expf(x)
#define LOG(x) logf(x)
#define DIVIDE(a, b) ((a) / (b))
#endif

// The normal distribution by Abramowitz and Stegun's formula 26.2.17.
__device__ float normal(float d) {
    float k = DIVIDE(1.0f, 1.0f + 0.2316419f * fabsf(d));
    float poly = k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228040f * EXP(-0.5f * d * d) * poly;
    return d > 0 ? 1.0f - tail : tail;
}

extern "C" __global__ __launch_bounds__(256) void black_scholes(int n, float rate, float sigma, const float *__restrict__ price,
                                                                const float *__restrict__ strike, const float *__restrict__ years,
                                                                float *__restrict__ call, float *__restrict__ put) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    float s = price[i], k = strike[i], t = years[i], root = sqrtf(t);
    float d1 = DIVIDE(LOG(DIVIDE(s, k)) + (rate + 0.5f * sigma * sigma) * t, sigma * root), d2 = d1 - sigma * root;
    float n1 = normal(d1), n2 = normal(d2), present = k * EXP(-rate * t);
    call[i] = s * n1 - present * n2;
    put[i] = present * (1.0f - n2) - s * (1.0f - n1);
}
