#include "cuda_runtime.h"
#include <cuda_runtime_api.h>
#include <cuda.h>
#include <device_launch_parameters.h>
#include "helper_cuda.h"
#include <cudnn.h>
#include <mma.h>
#include <cuda/std/atomic>
#include <nvtx3/nvToolsExt.h>
#include <nvml.h>
#include <cuda_gl_interop.h>
#include <cufft.h> // FFT
#include <cufftXt.h>
#ifdef __cplusplus
extern "C" {
#endif
void f(void);
#ifdef __cplusplus
}
#endif
#import <cuda_fp16.h>
#include_next <cuda_bf16.h>
#include MACRO_HEADER
#define MACRO_HEADER <cuda_runtime.h>
#define OTHER "curand.h"
#if __has_include(<cuda_runtime.h>)
#endif
#if __has_include("cublas_v2.h") && defined(CUDA_VERSION)
#endif
