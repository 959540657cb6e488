/* The loops of softmax.hip for the host's compiler: row after row. */
#include <math.h>

void softmax(long rows, long columns, const float *restrict in, float *restrict out)
{
#pragma omp parallel for schedule(static)
    for (long y = 0; y < rows; y++) {
        const float *row = in + y * columns;
        float *to = out + y * columns;
        float top = row[0], sum = 0;
#pragma omp simd reduction(max : top)
        for (long x = 0; x < columns; x++)
            top = row[x] > top ? row[x] : top;
#pragma omp simd reduction(+ : sum)
        for (long x = 0; x < columns; x++) {
            to[x] = expf(row[x] - top);
            sum += to[x];
        }
        float scale = 1.0f / sum;
#pragma omp simd
        for (long x = 0; x < columns; x++)
            to[x] *= scale;
    }
}
