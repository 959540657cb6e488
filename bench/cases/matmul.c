/* The loops of matmul.hip for the host's compiler: strips of 64 columns, tiles of 16 x 16. */

#define STRIP 64
#define TILE 16

void naive(long n, const float *restrict a, const float *restrict b, float *restrict c)
{
#pragma omp parallel for schedule(static)
    for (long row = 0; row < n; row++)
        for (long strip = 0; strip < n; strip += STRIP) {
            float acc[STRIP] = {0};
            for (long k = 0; k < n; k++) {
                float v = a[row * n + k];
                const float *line = b + k * n + strip;
#pragma omp simd
                for (int j = 0; j < STRIP; j++)
                    acc[j] += v * line[j];
            }
            for (int j = 0; j < STRIP; j++)
                c[row * n + strip + j] = acc[j];
        }
}

void tiled(long n, const float *restrict a, const float *restrict b, float *restrict c)
{
#pragma omp parallel for collapse(2) schedule(static)
    for (long y = 0; y < n; y += TILE)
        for (long x = 0; x < n; x += TILE) {
            float acc[TILE][TILE] = {{0}}, ta[TILE][TILE], tb[TILE][TILE];
            for (long k = 0; k < n; k += TILE) {
                for (int i = 0; i < TILE; i++)
                    for (int j = 0; j < TILE; j++) {
                        ta[i][j] = a[(y + i) * n + k + j];
                        tb[i][j] = b[(k + i) * n + x + j];
                    }
                for (int i = 0; i < TILE; i++)
                    for (int l = 0; l < TILE; l++)
#pragma omp simd
                        for (int j = 0; j < TILE; j++)
                            acc[i][j] += ta[i][l] * tb[l][j];
            }
            for (int i = 0; i < TILE; i++)
                for (int j = 0; j < TILE; j++)
                    c[(y + i) * n + x + j] = acc[i][j];
        }
}
