#include <hip/hip_runtime.h>
__device__ int load(int resource, int offset) __asm("llvm.amdgcn.raw.buffer.load.i32");
