#include <hip/hip_fp8.h>
#if HIP_FP8_TYPE_OCP
using fp8 = __hip_fp8_e4m3;
#else
using fp8 = __hip_fp8_e4m3_fnuz;
#endif
constexpr float largest = 448.0f;
