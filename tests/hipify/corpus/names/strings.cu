#include <cuda_runtime.h>
const char *a = "cudaMalloc", *b = "say \"cudaFree\" cudaMemcpy";
char c = '"'; const char *d = u8"cudaSuccess" "cudaEvent_t";
int e = cudaSuccess;
