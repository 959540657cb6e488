#include <hip/hip_fp8.h>
__device__ float widen(__hip_fp8_e4m3_fnuz x) { return float(x); }
__device__ __hip_fp8_e4m3 narrow(float x) { return __hip_fp8_e4m3(x); }
//         ^~~~~~~~~~~~~~ warning fp8-mixed
