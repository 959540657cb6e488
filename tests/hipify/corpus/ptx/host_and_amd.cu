#include <cuda_runtime.h>
void f() { asm volatile("" ::: "memory"); asm("cpuid"); asm("s_nop 0"); }
