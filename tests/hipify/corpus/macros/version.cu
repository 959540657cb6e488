#include <cuda_runtime.h>
#if CUDART_VERSION >= 11000
#endif
#if CUDA_VERSION < 12000
#endif
