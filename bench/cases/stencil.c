/* The loop of stencil.hip for the host's compiler: row after row. */
#include <string.h>

void stencil(long n, float centre, float side, const float *restrict in, float *restrict out)
{
#pragma omp parallel for schedule(static)
    for (long y = 0; y < n; y++) {
        const float *row = in + y * n;
        float *to = out + y * n;
        if (y == 0 || y == n - 1) {
            memcpy(to, row, n * sizeof *to);
            continue;
        }
        to[0] = row[0], to[n - 1] = row[n - 1];
#pragma omp simd
        for (long x = 1; x < n - 1; x++)
            to[x] = centre * row[x] + side * ((row[x - 1] + row[x + 1]) + (row[x - n] + row[x + n]));
    }
}
