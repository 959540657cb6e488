#include <curand.h>
void f(float *p) {
  curandGenerator_t g;
  curandCreateGenerator(&g, CURAND_RNG_PSEUDO_PHILOX4_32_10);
  curandGenerateUniform(g, p, 4);
}
