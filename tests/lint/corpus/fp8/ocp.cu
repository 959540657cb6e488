#include <cuda_fp8.h>
__device__ __nv_fp8_e4m3 narrow(float x) {
//         ^~~~~~~~~~~~~ warning fp8-format
  float limit = 448.0f;
//              ^~~~~~ warning fp8-limit
  return __nv_fp8_e4m3(x / limit);
}
