#include <cuda_runtime.h>
void f(int *a) { k<<<dim3(f(1, 2), (3, 4)), dim3{8, 8}, sizeof(float) * n(1, 2), s[i, j]>>>(a, g(a, 1)); }
