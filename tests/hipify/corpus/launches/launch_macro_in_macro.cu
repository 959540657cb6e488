#include <cuda_runtime.h>
#define LAUNCH(k, n, ...) \
  k<<<(n + 255) / 256, 256>>>(__VA_ARGS__)
void f(int *a) { LAUNCH(k, 3, a); }
