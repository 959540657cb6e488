/* The loops of reduction.hip for the host's compiler: the tree as in LDS, plain sums of blocks, counts in a table a thread. */
#include <stdint.h>
#include <string.h>

void tree(long n, const float *restrict in, float *restrict out)
{
#pragma omp parallel for schedule(static)
    for (long block = 0; block < n / 256; block++) {
        float part[256];
        memcpy(part, in + block * 256, sizeof part);
        for (int step = 128; step > 0; step /= 2)
#pragma omp simd
            for (int t = 0; t < step; t++)
                part[t] += part[t + step];
        out[block] = part[0];
    }
}

void sums(long n, const float *restrict in, float *restrict out)
{
#pragma omp parallel for schedule(static)
    for (long block = 0; block < n / 1024; block++) {
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int t = 0; t < 1024; t++)
            sum += in[block * 1024 + t];
        out[block] = sum;
    }
}

void histogram(long n, const uint32_t *restrict in, uint32_t *restrict out)
{
    memset(out, 0, 256 * sizeof *out);
#pragma omp parallel
    {
        uint32_t count[256] = {0};
#pragma omp for schedule(static) nowait
        for (long i = 0; i < n; i++)
            for (int b = 0; b < 4; b++)
                count[in[i] >> (8 * b) & 255]++;
#pragma omp critical
        for (int i = 0; i < 256; i++)
            out[i] += count[i];
    }
}
