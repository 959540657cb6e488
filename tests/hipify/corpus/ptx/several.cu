#include <cuda_runtime.h>
__device__ void f() {
  asm volatile("{\n\t"
               ".reg .pred p;\n\t"
               "@p bra.uni L;\n\t"
               "bar.sync 0; membar.gl;\n\t"
               "}" ::: "memory");
}
