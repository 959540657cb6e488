#include <hip/hip_runtime.h>
constexpr int half_of_it = 40 * 1024;
__device__ void first() { __shared__ char part[half_of_it]; part[0] = 0; }
//                                        ^~~~ error shared-memory-limit
__device__ void second() { __shared__ char part[half_of_it]; part[0] = 0; }
__global__ void one() { first(); first(); }
__global__ void both() { first(); second(); }
