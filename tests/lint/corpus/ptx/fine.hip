#include <hip/hip_runtime.h>
// AMD's own instructions, the host's, a barrier for the compiler, and what AMD's compiler never sees.
__device__ float add(float a, float b) {
  float r;
  asm volatile("v_add_f32 %0, %1, %2" : "=v"(r) : "v"(a), "v"(b));
  asm volatile("s_waitcnt vmcnt(0)\n s_barrier" ::: "memory");
  asm volatile("" : "+v"(r));
  return r;
}
void host() {
  unsigned low, high;
  __asm__ __volatile__("rdtsc" : "=a"(low), "=d"(high));
  asm volatile("pause");
  asm volatile("mov %%rbx, %0\n cpuid" : "=r"(low));
}
#ifdef __CUDA_ARCH__
__device__ int lane() { int r; asm("mov.u32 %0, %%laneid;" : "=r"(r)); return r; }
#endif
#ifdef __HIP_PLATFORM_AMD__
#else
__device__ int lane2() { int r; asm("mov.u32 %0, %%laneid;" : "=r"(r)); return r; }
#endif
