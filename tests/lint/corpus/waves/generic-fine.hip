// Code without a wave size in it, and code for any: no rule of any family may speak.
#include <hip/hip_runtime.h>
__device__ int n1() { return threadIdx.x % warpSize; }
__device__ int n2() { return threadIdx.x / warpSize; }
__device__ int n3(int v) { for (int o = warpSize / 2; o > 0; o /= 2) v += __shfl_down(v, o); return v; }
__device__ int n4(int v) { for (int o = warpSize >> 1; o; o >>= 1) v += __shfl_xor(v, o, warpSize); return v; }
__device__ unsigned long long n5(bool p) { return __ballot(p); }
__device__ int n6(bool p) { auto m = __ballot(p); return __popcll(m & ((1ull << __lane_id()) - 1)); }
__device__ int n7(bool p) { uint64_t m = __ballot(p); return __ffsll((long long)m) - 1; }
__device__ unsigned n8(unsigned *bits, int i) { return bits[i >> 5] & (1u << (i & 31)); }
__device__ unsigned n9(unsigned h) { return (h << 5) ^ (h >> 27); }
__device__ float m1(float *tile) { int tx = threadIdx.x, ty = threadIdx.y; __shared__ float t[32][33]; t[ty][tx] = tile[ty * 32 + tx]; __syncthreads(); return t[tx][ty]; }
template <int WaveSize> __device__ int m2(int v) { for (int o = WaveSize / 2; o > 0; o /= 2) v += __shfl_down(v, o, WaveSize); return v; }
__device__ int m3(int v) { unsigned lo = (unsigned)(__ballot(v) & 0xffffffffull); unsigned hi = __ballot(v) >> 32; return __popc(lo) + __popc(hi); }
__device__ bool m4(bool p) { int any = __ballot(p) != 0; return any; }
__device__ bool m5(bool p) { bool b = (__ballot(p) >> __lane_id()) & 1; return b; }
__device__ int m6(bool p) { int count = __popcll(__ballot(p)); return count; }
__global__ void m7(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; int seg = i / 32; if (i < n) x[seg] = i % 32; }
__global__ void m8(float *x) { __shared__ float s[256]; s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); for (int i = blockDim.x / 2; i > 0; i >>= 1) { if (threadIdx.x < i) s[threadIdx.x] += s[threadIdx.x + i]; __syncthreads(); } x[0] = s[0]; }
__device__ unsigned m9(unsigned x) { x ^= x >> 16; x *= 0x85ebca6b; x ^= x >> 13; return x; }
__device__ int o1(int v) { if constexpr (sizeof(int) == 4) return v & 31; return v; }
__global__ void o2(int *hist) { __shared__ int h[32]; if (threadIdx.x < 32) h[threadIdx.x] = 0; __syncthreads(); atomicAdd(&h[hist[threadIdx.x] & 31], 1); __syncthreads(); if (threadIdx.x < 32) hist[threadIdx.x] = h[threadIdx.x]; }
