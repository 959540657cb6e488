#include <cuda_runtime.h>
__managed__ int counter;
void f(int **p) { cudaMallocManaged(p, 4); }
