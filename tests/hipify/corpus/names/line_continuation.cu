#include <cuda_runtime.h>
int x = cuda\
Success;
int y = cudaSuccess;
