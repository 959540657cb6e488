// Must compile without a warning: names that CUDA leaves to its sources, and sources take.
__device__ static float atomicMax(float *a, float v) { int *i = (int *)a, old = *i, seen; do { seen = old; old = atomicCAS(i, seen, __float_as_int(fmaxf(v, __int_as_float(seen)))); } while (seen != old); return __int_as_float(old); }
__device__ long long atomicAdd(long long *a, long long v) { return (long long)atomicAdd((unsigned long long *)a, (unsigned long long)v); }
__device__ unsigned __lane_id() { return threadIdx.x & 31; }
__device__ unsigned __lanemask_lt() { return (1u << __lane_id()) - 1; }
__device__ float powi(float x, int n) { return powf(x, (float)n) + pow(x, n) + pow((double)x, n); }
__device__ __forceinline__ float clamp(float x, float a, float b) { return max(a, min(b, x)); }
__device__ float lerp(float a, float b, float t) { return fma(t, b, fma(-t, a, a)); }
inline __host__ __device__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
inline __host__ __device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__global__ void k(float *f, long long *l) { atomicMax(f, 1.f); atomicAdd(l, 2ll); f[1] = powi(f[2], 3) + __lanemask_lt() + clamp(f[3], 0, 1) + dot(make_float3(1, 2, 3) + make_float3(1, 2, 3), make_float3(1, 1, 1)) + lerp(1, 2, 3); }
int main() { float3 v = {1, 2, 3}; float4 z = {0}; return (int)dot(v + v, v) + (int)z.w; }
