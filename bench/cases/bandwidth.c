/* The loops of bandwidth.hip for the host's compiler; the transpose with the same tiles of 32 x 32. */

void add(long n, const float *restrict a, const float *restrict b, float *restrict c)
{
#pragma omp parallel for simd schedule(static)
    for (long i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}

void triad(long n, float scale, const float *restrict a, const float *restrict b, float *restrict c)
{
#pragma omp parallel for simd schedule(static)
    for (long i = 0; i < n; i++)
        c[i] = a[i] + scale * b[i];
}

void transpose(long n, const float *restrict in, float *restrict out)
{
#pragma omp parallel for schedule(static)
    for (long y = 0; y < n; y += 32)
        for (long x = 0; x < n; x += 32)
            for (long i = 0; i < 32; i++)
                for (long j = 0; j < 32; j++)
                    out[(x + i) * n + y + j] = in[(y + j) * n + x + i];
}
