#include <cuda_runtime.h>
void f(int *a) {
  k
    <<<blocks,
       threads>>>
    (a,
     b);
}
