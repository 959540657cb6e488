/* The loop of spmv.hip for the host's compiler: row after row. */
#include <stdint.h>

void spmv(long rows, const int32_t *restrict start, const int32_t *restrict column, const float *restrict value,
          const float *restrict x, float *restrict y)
{
#pragma omp parallel for schedule(static)
    for (long row = 0; row < rows; row++) {
        float sum = 0;
        for (int32_t i = start[row]; i < start[row + 1]; i++)
            sum += value[i] * x[column[i]];
        y[row] = sum;
    }
}
