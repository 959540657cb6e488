template <unsigned size> __device__ void warp_reduce(volatile float* part, unsigned t) {
  if (size >= 64) part[t] += part[t + 32];
//                ^~~~ note warp-synchronous
  if (size >= 32) part[t] += part[t + 16];
  if (size >= 16) part[t] += part[t + 8];
}
__global__ void in_kernel(float* data) {
  __shared__ volatile int part[64];
  unsigned t = threadIdx.x;
  part[t] = part[t] + part[t + 16];
//^~~~ note warp-synchronous
  part[t] = part[t] + part[t + 8];
}
