// Code without a wave size in it, and code for any: no rule of any family may speak.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
template <class T, int TILE = 32> __global__ void transpose(T *o, const T *in, int w) { __shared__ T t[TILE][TILE + 1]; int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y; t[threadIdx.y][threadIdx.x] = in[y * w + x]; __syncthreads(); o[x * w + y] = t[threadIdx.x][threadIdx.y]; }
__device__ bool test(const unsigned *set, unsigned i) { return set[i >> 5] >> (i & 31) & 1u; }
__device__ void setbit(unsigned *set, unsigned i) { atomicOr(&set[i / 32], 1u << (i % 32)); }
__device__ unsigned pcg(unsigned s) { unsigned w = ((s >> ((s >> 28u) + 4u)) ^ s) * 277803737u; return (w >> 22u) ^ w; }
__global__ void hist(const unsigned char *in, unsigned *out, int n) { __shared__ unsigned h[256]; for (int i = threadIdx.x; i < 256; i += blockDim.x) h[i] = 0; __syncthreads(); for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&h[in[i]], 1u); __syncthreads(); for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&out[i], h[i]); }
__global__ void bitonic(int *v, int j, int k) { unsigned i = threadIdx.x + blockDim.x * blockIdx.x, ixj = i ^ j; if (ixj > i) { if ((i & k) == 0 && v[i] > v[ixj]) { int t = v[i]; v[i] = v[ixj]; v[ixj] = t; } } }
__global__ void reduce(const float *in, float *out, int n) { extern __shared__ float s[]; unsigned tid = threadIdx.x; s[tid] = tid < n ? in[tid] : 0; __syncthreads(); for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) { if (tid < k) s[tid] += s[tid + k]; __syncthreads(); } if (tid == 0) out[0] = s[0]; }
template <int SIZE> __device__ float tile_sum(cg::thread_block_tile<SIZE> g, float v) { for (int i = g.size() / 2; i > 0; i /= 2) v += g.shfl_down(v, i); return v; }
__device__ float wsum(float v) { for (int o = warpSize / 2; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffffffffffull, v, o); return v; }
__device__ int wscan(int v) { int lane = threadIdx.x & (warpSize - 1); for (int d = 1; d < warpSize; d <<= 1) { int t = __shfl_up_sync(~0ull, v, d); if (lane >= d) v += t; } return v; }
__device__ unsigned long long lt() { return (1ull << (threadIdx.x % warpSize)) - 1; }
__device__ int rank(bool p) { unsigned long long m = __ballot_sync(~0ull, p); return __popcll(m & lt()); }
__device__ int first(bool p) { unsigned long long m = __ballot_sync(~0ull, p); return m ? __ffsll(m) - 1 : -1; }
__device__ int nlz(unsigned v) { return 31 - __clz(v); }
__device__ unsigned rgba(float r, float g, float b) { return (unsigned(r * 255) << 24) | (unsigned(g * 255) << 16) | (unsigned(b * 31) << 5); }
__global__ void stride(float *x, int n) { const int i = (blockIdx.x * blockDim.x + threadIdx.x) * 32; for (int j = 0; j < 32; ++j) if (i + j < n) x[i + j] *= 2; }
__global__ void quant(const float *x, signed char *q, float *s) { int b = blockIdx.x; float m = 0; for (int j = 0; j < 32; j++) m = fmaxf(m, fabsf(x[b * 32 + j])); s[b] = m / 127; for (int j = 0; j < 32; j++) q[b * 32 + j] = x[b * 32 + j] / s[b]; }
__global__ void guard(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; x[i] = sqrtf(x[i]); }
constexpr int kTile = 32, kBlock = 256, kBits = 5;
static_assert(kBlock % 32 == 0, "whole warps");
