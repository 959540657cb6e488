#include <hip/hip_runtime.h>
__shared__ float whole[16384];
//               ^~~~~ error shared-memory-limit
extern __shared__ float dynamic[];
__global__ void uses(float* p) { __shared__ int more; whole[0] = p[more]; }
__global__ void does_not(float* p) { __shared__ int more; p[0] = more; }
