/* The loop of black_scholes.hip for the host's compiler, which may take a vector math library for expf and logf. */
#include <math.h>

static inline float normal(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float poly = k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228040f * expf(-0.5f * d * d) * poly;
    return d > 0 ? 1.0f - tail : tail;
}

void black_scholes(long n, float rate, float sigma, const float *restrict price, const float *restrict strike,
                   const float *restrict years, float *restrict call, float *restrict put)
{
#pragma omp parallel for simd schedule(static)
    for (long i = 0; i < n; i++) {
        float s = price[i], k = strike[i], t = years[i], root = sqrtf(t);
        float d1 = (logf(s / k) + (rate + 0.5f * sigma * sigma) * t) / (sigma * root), d2 = d1 - sigma * root;
        float n1 = normal(d1), n2 = normal(d2), present = k * expf(-rate * t);
        call[i] = s * n1 - present * n2;
        put[i] = present * (1.0f - n2) - s * (1.0f - n1);
    }
}
