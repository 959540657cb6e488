#include <cuda_runtime.h>
static int cudaMalloc(int n) { return n; }
int f() { return cudaMalloc(3); }
