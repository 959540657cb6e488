#include <hip/hip_runtime.h>
__device__ bool all(bool p) { return __ballot(p) == 0xffffffffffffffffull; }
__device__ bool none(bool p) { return __ballot(p) == 0; }
__device__ bool active(bool p) { return __ballot(p) == __activemask(); }
__device__ bool count(bool p) { return __popcll(__ballot(p)) == warpSize; }
__device__ bool other(unsigned x) { return x == 0xffffffffu || __popc(x) == 32; }
__device__ bool signed_ones(bool p) { return __ballot(p) == ~0ull; }
