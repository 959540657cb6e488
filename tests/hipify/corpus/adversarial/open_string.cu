#include <cuda_runtime.h>
const char *s = "never closed cudaFree;
int b = cudaSuccess;
char c = 'cudaFree;
int d = cudaSuccess;
