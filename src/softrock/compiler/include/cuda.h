/* Part of softrock (MIT licence, see LICENSE). The CUDA driver API for host code, over HIP's module API. */
#ifndef SOFTROCK_CUDA_H
#define SOFTROCK_CUDA_H

#include "softrock/cuda/version.h"
#include "cuda_runtime_api.h"
#include "softrock/cuda/driver_functions.h"
#include "softrock/cuda/driver_pointers.h"
#include "softrock/cuda/driver_types.h"
#include "softrock/cuda/driver_values.h"

#define cuInit hipInit

#if defined(__cplusplus) && !defined(__HIPCC_RTC__)

/* CUDA's view of a device, as cudaDeviceGetAttribute gives it. */
static inline CUresult cuDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, hipDevice_t device) {
    return cudaDeviceGetAttribute(value, attribute, device);
}
static inline CUresult cuDeviceComputeCapability(int *major, int *minor, hipDevice_t device) {
    (void)device;
    return *major = __SR_CUDA_MAJOR, *minor = __SR_CUDA_MINOR, hipSuccess;
}
static inline CUresult cuDriverGetVersion(int *version) { return *version = CUDA_VERSION, hipSuccess; }
/* "hipErrorInvalidValue" is "CUDA_ERROR_INVALID_VALUE" here: a bar before each capital, all in capitals. */
static inline CUresult cuGetErrorName(CUresult error, const char **name) {
    static thread_local char text[112];
    const char *hip = hipGetErrorName(error);
    if (error == hipSuccess) return *name = "CUDA_SUCCESS", hipSuccess;
    char *out = text;
    std::memcpy(out, "CUDA", 4);
    out += 4;
    for (const char *c = hip + 3; *c && out < text + sizeof(text) - 2; ++c) {
        if (*c >= 'A' && *c <= 'Z') *out++ = '_';
        *out++ = *c >= 'a' && *c <= 'z' ? (char)(*c - 32) : *c;
    }
    *out = 0;
    return *name = text, hipSuccess;
}
static inline CUresult cuCtxCreate(hipCtx_t *context, unsigned int flags, hipDevice_t device) {
    return hipCtxCreate(context, flags, device);
}
#define cuCtxCreate_v2 cuCtxCreate
static inline CUresult cuGraphInstantiate(hipGraphExec_t *exec, hipGraph_t graph, unsigned long long flags) {
    return hipGraphInstantiateWithFlags(exec, graph, flags);
}

/* HIP's records with device addresses as CUDA types them. */
struct CUDA_MEMCPY2D {
    size_t srcXInBytes, srcY;
    CUmemorytype srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    size_t srcPitch, dstXInBytes, dstY;
    CUmemorytype dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    size_t dstPitch, WidthInBytes, Height;
};
struct CUDA_MEMCPY3D {
    size_t srcXInBytes, srcY, srcZ, srcLOD;
    CUmemorytype srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    size_t srcPitch, srcHeight, dstXInBytes, dstY, dstZ, dstLOD;
    CUmemorytype dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    size_t dstPitch, dstHeight, WidthInBytes, Height, Depth;
};
static_assert(sizeof(CUDA_MEMCPY2D) == sizeof(hip_Memcpy2D) && sizeof(CUDA_MEMCPY3D) == sizeof(HIP_MEMCPY3D), "one layout");

static inline CUresult cuMemcpy2D(const CUDA_MEMCPY2D *copy) { return hipMemcpyParam2D((const hip_Memcpy2D *)copy); }
static inline CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *copy) {
    return hipDrvMemcpy2DUnaligned((const hip_Memcpy2D *)copy);
}
static inline CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *copy, hipStream_t stream) {
    return hipMemcpyParam2DAsync((const hip_Memcpy2D *)copy, stream);
}
static inline CUresult cuMemcpy3D(const CUDA_MEMCPY3D *copy) { return hipDrvMemcpy3D((const HIP_MEMCPY3D *)copy); }
static inline CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *copy, hipStream_t stream) {
    return hipDrvMemcpy3DAsync((const HIP_MEMCPY3D *)copy, stream);
}
#define CUDA_MEMCPY2D_v2 CUDA_MEMCPY2D
#define CUDA_MEMCPY3D_v2 CUDA_MEMCPY3D
#define cuMemcpy2D_v2 cuMemcpy2D
#define cuMemcpy2DAsync_v2 cuMemcpy2DAsync
#define cuMemcpy3D_v2 cuMemcpy3D
#define cuMemcpy3DAsync_v2 cuMemcpy3DAsync

#endif

#include "softrock/cuda/conceal.h"
#endif
