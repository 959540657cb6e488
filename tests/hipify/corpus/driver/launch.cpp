#include <cuda.h>
CUresult f(CUfunction k, CUstream s, void **a) { return cuLaunchKernel(k, 1, 1, 1, 2, 1, 1, 0, s, a, nullptr); }
