#include <hip/hip_runtime.h>
__global__ void k(float *x) { x[0] = 0; }
constexpr int W = __AMDGCN_WAVEFRONT_SIZE;
constexpr int kWarpSize = __AMDGCN_WAVEFRONT_SIZE;
void l1(float *x) { k<<<1, W>>>(x); }
void l2(float *x) { k<<<1, kWarpSize * 4>>>(x); }
void l3(float *x) { k<<<1, __AMDGCN_WAVEFRONT_SIZE>>>(x); }
int threads() {
#ifdef __gfx90a__
  return 64;
#else
  return 32;
#endif
}
void l4(float *x) { k<<<1, threads()>>>(x); }
void l5(float *x) {
#if defined(__gfx942__) || defined(__gfx90a__)
  const int block = 256;
#else
  const int block = 128;
#endif
  k<<<1, block>>>(x);
}
#if defined(__GFX9__)
constexpr int kBlock = 64;
#else
constexpr int kBlock = 32;
#endif
void l6(float *x) { k<<<1, kBlock>>>(x); hipLaunchKernelGGL(k, dim3(1), dim3(kBlock), 0, 0, x); }
__host__ __device__ constexpr int size() {
#if defined(__HIP_DEVICE_COMPILE__) && defined(__GFX9__)
  return 64;
#else
  return 32;
#endif
}
void l7(float *x) { k<<<1, size()>>>(x); }
