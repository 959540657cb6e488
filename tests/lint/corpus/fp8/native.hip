// softrock-gpu: gfx950,gfx1201
#include <hip/hip_fp8.h>
__device__ __hip_fp8_e4m3 narrow(float x) { return __hip_fp8_e4m3(x / 448.0f); }
