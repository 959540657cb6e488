#include <cuda_runtime.h>
const char *k = R"(cudaMalloc " )" R"x(cudaFree )" cudaMemcpy)x";
int e = cudaSuccess;
