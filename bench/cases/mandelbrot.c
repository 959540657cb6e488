/* The loop of mandelbrot.hip for the host's compiler: STRIP pixels at once, until the last of them has escaped. */
#include <stdint.h>

void mandelbrot(long n, long most, int32_t *restrict out)
{
#pragma omp parallel for schedule(dynamic, 8)
    for (long y = 0; y < n; y++)
        for (long strip = 0; strip < n; strip += STRIP) {
            float cx[STRIP], zx[STRIP] = {0}, zy[STRIP] = {0}, cy = -1.25f + 2.5f * y / n;
            int32_t count[STRIP] = {0};
            for (int i = 0; i < STRIP; i++)
                cx[i] = -2.0f + 2.5f * (strip + i) / n;
            for (long step = 0; step < most; step++) {
                int32_t running = 0;
#pragma omp simd reduction(+ : running)
                for (int i = 0; i < STRIP; i++) {
                    float xx = zx[i] * zx[i], yy = zy[i] * zy[i];
                    int32_t on = xx + yy <= 4.0f;
                    float next_y = 2.0f * zx[i] * zy[i] + cy, next_x = xx - yy + cx[i];
                    zy[i] = on ? next_y : zy[i];
                    zx[i] = on ? next_x : zx[i];
                    count[i] += on;
                    running += on;
                }
                if (!running)
                    break;
            }
            for (int i = 0; i < STRIP; i++)
                out[y * n + strip + i] = count[i];
        }
}
