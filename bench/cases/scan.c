/* Inclusive sums for the host's compiler: one thread runs along; several sum their parts first. */
#include <stdint.h>
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#endif

void scan(long n, const int32_t *restrict in, int32_t *restrict out)
{
    int most = omp_get_max_threads();
    int32_t *part = calloc(most + 1, sizeof *part);
#pragma omp parallel
    {
        int self = omp_get_thread_num(), threads = omp_get_num_threads();
        long low = n * self / threads, high = n * (self + 1) / threads;
        int32_t sum = 0;
        if (threads > 1) {
#pragma omp simd reduction(+ : sum)
            for (long i = low; i < high; i++)
                sum += in[i];
            part[self + 1] = sum;
#pragma omp barrier
            sum = 0;
            for (int t = 0; t <= self; t++)
                sum += part[t];
        }
        for (long i = low; i < high; i++) {
            sum += in[i];
            out[i] = sum;
        }
    }
    free(part);
}
