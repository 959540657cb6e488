// softrock-gpu: gfx942,gfx950
#include <hip/hip_fp8.h>
__device__ __hip_fp8_e4m3_fnuz narrow(float x) { return __hip_fp8_e4m3_fnuz(x * (1.0f / 240.0f)); }
//         ^~~~~~~~~~~~~~~~~~~ warning fp8-format
//                                                                                      ^~~~~~ warning fp8-limit
