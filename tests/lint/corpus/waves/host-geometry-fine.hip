#include <hip/hip_runtime.h>
__global__ void k(float *x) { x[0] = 0; }
#ifdef __HIP_PLATFORM_AMD__
constexpr int kBlock = 256;
#else
constexpr int kBlock = 128;
#endif
__host__ __device__ int div_up(int a, int b) {
#ifndef __HIP_DEVICE_COMPILE__
  if (b == 0) return 0;
#endif
  return (a + b - 1) / b;
}
__device__ int tile() {
#ifdef __gfx942__
  return 64;
#else
  return 32;
#endif
}
void start(float *x, int n) {
#ifdef __HIP_DEVICE_COMPILE__
  x = nullptr;
#endif
  k<<<div_up(n, kBlock), kBlock>>>(x);
}
