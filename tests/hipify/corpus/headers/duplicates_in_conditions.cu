#ifdef A
#include <cuda.h>
#else
#include <cuda_runtime.h>
#endif
#include <cuda_runtime.h>
#ifdef B
#include <cuda.h>
#endif
