#include <cuda_runtime.h>
void f() {
  (*pointer)<<<1, 2>>>(a);
  table[i]<<<1, 2>>>(a);
  object.kernel<<<1, 2>>>(a);
  if (x) return k<<<1, 2>>>(a);
}
