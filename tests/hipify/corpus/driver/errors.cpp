#include <cuda.h>
bool f(CUresult r) { return r == CUDA_SUCCESS || r == CUDA_ERROR_OUT_OF_MEMORY; }
