#define TILE 128
struct alignas(16) Vertex { float4 position; float4 colour; };
struct Pair { double a; int b; };
__global__ void large() {
  __shared__ float a[TILE][TILE];
//                 ^ error shared-memory-limit
  __shared__ double b[64];
}
__global__ void pairs() {
  __shared__ Pair pairs[4097];
//                ^~~~~ error shared-memory-limit
}
__global__ void fits() {
  __shared__ float a[TILE][TILE - 1];
  __shared__ unsigned char b[512];
  extern __shared__ float dynamic[];
}
template <int N> __global__ void unknown() { __shared__ float a[N * 100000]; }
