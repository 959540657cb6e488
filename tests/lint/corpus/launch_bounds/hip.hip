#include <hip/hip_runtime.h>
__global__ void __launch_bounds__(256, 2) waves(float* p) {}
__global__ void __launch_bounds__(1024, 2) blocks(float* p) {}
//                                      ^ warning launch-bounds-second-argument
__global__ void __launch_bounds__(256, 32) too_many(float* p) {}
//                                     ^~ warning launch-bounds-second-argument
__global__ void __launch_bounds__(1024, 8) eight(float* p) {}
__global__ void __launch_bounds__(256, 1) one(float* p) {}
