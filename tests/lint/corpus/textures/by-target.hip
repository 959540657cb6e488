#include <hip/hip_runtime.h>
__global__ void read(hipTextureObject_t image, float *to) {
#if defined(__gfx942__)
  to[0] = 0;
#else
  to[0] = tex1Dfetch<float>(image, 0);
//        ^~~~~~~~~~ note texture-on-cdna
#endif
  to[1] = tex1Dfetch<float>(image, 1);
//        ^~~~~~~~~~ error texture-on-cdna
}
