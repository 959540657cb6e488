#include <cuda_runtime.h>
// what??/
int a = cudaSuccess;
const char *s = "??/"; int b = cudaSuccess;
