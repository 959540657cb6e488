#include <curand_kernel.h>
__global__ void k(float *p) {
  curandStatePhilox4_32_10_t s;
  curand_init(1, 2, 3, &s);
  *p = curand_uniform(&s);
}
