#include <cuda_fp16.h>
#include <cuda_bf16.h>
__global__ void k(__half *p, __nv_bfloat16 *q, __half2 r) { *p = __float2half(1.f); *q = __float2bfloat16(2.f); }
