// Guards, barriers, locks and checks as they should be: no rule of any family may speak.
#include <cuda_runtime.h>
__global__ void r1(float *x, int n) { if (blockIdx.x >= n) return; __syncthreads(); x[0] = 1; }
__global__ void r2(float *x, int n) { int b = blockIdx.x * 2; if (b >= n) return; __syncthreads(); x[b] = 1; }
__global__ void r3(float *x, int n) { int i = threadIdx.x; if (i < n) x[i] = 1; __syncthreads(); x[0] = x[i]; }
__global__ void r4(float *x, int n) { for (int i = 0; i < n; i += blockDim.x) { if (i + threadIdx.x < n) x[i] = 1; __syncthreads(); } }
__global__ void r5(float *x, int n) { int i = threadIdx.x; __syncthreads(); if (i >= n) return; x[i] = 1; }
__global__ void r6(float *x, int n) { if (n == 0) return; __syncthreads(); x[0] = 1; }
template <int N> __global__ void r7(float *x) { if constexpr (N > 3) { __syncthreads(); } x[0] = 1; }
__global__ void r8(float *x) { __shared__ bool last; if (threadIdx.x == 0) last = x[0] > 1; __syncthreads(); if (!last) return; __syncthreads(); x[0] = 1; }
__device__ int lk;
__device__ void s1() { bool done = false; while (!done) { if (atomicCAS(&lk, 0, 1) == 0) { lk++; __threadfence(); atomicExch(&lk, 0); done = true; } } }
__global__ void s2() { if (threadIdx.x == 0) { while (atomicCAS(&lk, 0, 1) != 0); atomicExch(&lk, 0); } }
__device__ void s3(unsigned long long *a, double v) { unsigned long long old = *a, assumed; do { assumed = old; old = atomicCAS(a, assumed, __double_as_longlong(v + __longlong_as_double(assumed))); } while (assumed != old); }
__device__ int s4(int *keys, int k) { int slot = k & 255; while (true) { int prev = atomicCAS(&keys[slot], -1, k); if (prev == -1 || prev == k) return slot; slot = (slot + 1) & 255; } }
__device__ float s5(float *a, float v) { int *ai = (int *)a; int old = *ai, ex; do { ex = old; old = atomicCAS(ai, ex, __float_as_int(fmaxf(v, __int_as_float(ex)))); } while (ex != old); return __int_as_float(old); }
struct S { ~S() { if (p) { (void)cudaFree(p); } } float *p = nullptr; };
#define CHECK(x) if ((x) != cudaSuccess) return
void h(float *d) { float *p; CHECK(cudaMalloc(&p, 4)); auto e = cudaFree(p); (void)e; r1<<<1, 64>>>(d, 1); CHECK(cudaGetLastError()); }
cudaError_t h2(float **p) { return cudaMalloc(p, 4); }
bool h3(float **p) { if (cudaMalloc(p, 4) == cudaSuccess) return true; return false; }
bool h4(float **p) { return cudaMalloc(p, 4) == cudaSuccess && cudaMemset(*p, 0, 4) == cudaSuccess; }
__global__ void tile(float *x) { __shared__ float t[32][33]; t[threadIdx.y][threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = t[threadIdx.x][threadIdx.y]; }
__host__ __device__ constexpr int ceil32(int n) { return (n + 31) / 32 * 32; }
__device__ bool bit(const unsigned *m, int i) { return m[i / 32] & (1u << (i % 32)); }
__device__ unsigned rotl(unsigned x, int k) { return (x << k) | (x >> (32 - k)); }
__device__ int colour(int r, int g, int b) { return ((r >> 3) << 10) | ((g >> 3) << 5) | (b >> 3); }
__global__ void morton(unsigned *x) { unsigned v = threadIdx.x; v = (v | (v << 8)) & 0x00FF00FF; v = (v ^ (v >> 5)) & 31; x[threadIdx.x] = v; }
