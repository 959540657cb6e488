/* The loop of nbody.hip for the host's compiler: strips of 64 bodies. */
#include <math.h>

#define STRIP 64

struct body { float x, y, z, w; };

void nbody(long n, const struct body *restrict p, struct body *restrict out)
{
#pragma omp parallel for schedule(static)
    for (long strip = 0; strip < n; strip += STRIP) {
        float px[STRIP], py[STRIP], pz[STRIP], ax[STRIP] = {0}, ay[STRIP] = {0}, az[STRIP] = {0};
        for (int i = 0; i < STRIP; i++)
            px[i] = p[strip + i].x, py[i] = p[strip + i].y, pz[i] = p[strip + i].z;
        for (long j = 0; j < n; j++) {
            struct body q = p[j];
#pragma omp simd
            for (int i = 0; i < STRIP; i++) {
                float dx = q.x - px[i], dy = q.y - py[i], dz = q.z - pz[i];
                float r = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
                float s = q.w * r * r * r;
                ax[i] += dx * s, ay[i] += dy * s, az[i] += dz * s;
            }
        }
        for (int i = 0; i < STRIP; i++)
            out[strip + i] = (struct body){ax[i], ay[i], az[i], 0};
    }
}
