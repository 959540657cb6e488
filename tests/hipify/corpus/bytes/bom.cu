#include <cuda.h>
int x = cudaSuccess;
