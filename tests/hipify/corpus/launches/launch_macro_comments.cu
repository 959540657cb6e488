#include <cuda_runtime.h>
void f(int *a) {
  k<<<1 /* blocks */, 2, // threads
      0>>>(a);
  k<<<1, 2>>>( /* nothing */ );
}
