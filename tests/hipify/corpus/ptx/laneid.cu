#include <cuda_runtime.h>
__device__ int f() { int r; asm("mov.u32 %0, %%laneid;" : "=r"(r)); return r; }
