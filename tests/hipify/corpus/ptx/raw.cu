#include <cuda_runtime.h>
__device__ void f(int *p) { asm volatile(R"(cp.async.ca.shared.global [%0], [%1], 4;)" :: "r"(0), "l"(p)); }
