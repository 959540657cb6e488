#include <cuda_runtime.h>
const char *s = R"(never closed cudaFree;
int b = cudaSuccess;
