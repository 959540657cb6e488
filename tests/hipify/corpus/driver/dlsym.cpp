#include <cuda.h>
void *f() {
  void *h = dlopen("libcuda.so.1", 1);
  return dlsym(h, "cuMemAlloc");
}
