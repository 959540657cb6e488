#include <cuda_runtime.h>
#if __CUDA_ARCH__ >= 700
#elif defined(__CUDA_ARCH__) && (__CUDA_ARCH__ < 600)
#endif
int a = __CUDA_ARCH__;
