#include <cuda_runtime.h>
#define CALL(p) \
cuda\
Free(p)
int x = mine\
cuda + cudaSuccess;
