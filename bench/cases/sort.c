/* The pass of sort.hip for the host's compiler: counts a thread, then a stable move. */
#include <stdint.h>
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#endif

void radix_pass(long n, long shift, const uint32_t *restrict in, uint32_t *restrict out)
{
    int most = omp_get_max_threads();
    long (*place)[16] = calloc(most, sizeof *place);
#pragma omp parallel
    {
        int self = omp_get_thread_num(), threads = omp_get_num_threads();
        long low = n * self / threads, high = n * (self + 1) / threads, at[16] = {0};
        for (long i = low; i < high; i++)
            at[in[i] >> shift & 15]++;
        for (int d = 0; d < 16; d++)
            place[self][d] = at[d];
#pragma omp barrier
#pragma omp single
        {
            long sum = 0;
            for (int d = 0; d < 16; d++)
                for (int t = 0; t < threads; t++) {
                    long own = place[t][d];
                    place[t][d] = sum;
                    sum += own;
                }
        }
        for (int d = 0; d < 16; d++)
            at[d] = place[self][d];
        for (long i = low; i < high; i++)
            out[at[in[i] >> shift & 15]++] = in[i];
    }
    free(place);
}
