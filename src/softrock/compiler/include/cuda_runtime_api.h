/* Part of softrock (MIT licence, see LICENSE). The CUDA runtime API for host code, over HIP's. */
#ifndef SOFTROCK_CUDA_RUNTIME_API_H
#define SOFTROCK_CUDA_RUNTIME_API_H

#include "softrock/cuda/version.h"
#include "hip/hip_runtime_api.h"
#include "softrock/cuda/runtime_functions.h"
#include "softrock/cuda/runtime_types.h"
#include "softrock/cuda/runtime_values.h"
#include "softrock/cuda/runtime_extras.h"

#if defined(__cplusplus) && !defined(__HIPCC_RTC__)

#include <cstring>

/* HIP's record with CUDA's names for the two members that say "Hip". */
struct cudaDeviceProp : hipDeviceProp_tR0600 {
    int sparseCudaArraySupported;
    int deferredMappingCudaArraySupported;
};

/* CUDA's view of a device: warps of 32 lanes, and the compute capability that __CUDA_ARCH__ promises. */
static inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device) {
    const cudaError_t error = hipGetDevicePropertiesR0600(properties, device);
    if (error != hipSuccess) return error;
    properties->warpSize = 32;
    properties->major = __SR_CUDA_MAJOR;
    properties->minor = __SR_CUDA_MINOR;
    properties->sparseCudaArraySupported = properties->sparseHipArraySupported;
    properties->deferredMappingCudaArraySupported = properties->deferredMappingHipArraySupported;
    return error;
}
#define cudaGetDeviceProperties_v2 cudaGetDeviceProperties
static inline cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *wanted) {
    return hipChooseDeviceR0600(device, wanted);
}
static inline cudaError_t cudaDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int device) {
    const cudaError_t error = hipDeviceGetAttribute(value, attribute, device);
    if (error != hipSuccess) return error;
    if (attribute == hipDeviceAttributeWarpSize) *value = 32;
    if (attribute == hipDeviceAttributeComputeCapabilityMajor) *value = __SR_CUDA_MAJOR;
    if (attribute == hipDeviceAttributeComputeCapabilityMinor) *value = __SR_CUDA_MINOR;
    return error;
}
static inline cudaError_t cudaRuntimeGetVersion(int *version) { return *version = CUDART_VERSION, hipSuccess; }
static inline cudaError_t cudaDriverGetVersion(int *version) { return *version = CUDA_VERSION, hipSuccess; }

/* "hipErrorInvalidValue" is "cudaErrorInvalidValue" here. The text lives until the thread asks for another one. */
static inline const char *cudaGetErrorName(cudaError_t error) {
    static thread_local char name[96];
    const char *hip = hipGetErrorName(error);
    if (std::strncmp(hip, "hip", 3) != 0) return hip;
    std::memcpy(name, "cuda", 4);
    std::strncpy(name + 4, hip + 3, sizeof(name) - 5);
    return name;
}

static inline cudaError_t cudaMallocHost(void **address, size_t size, unsigned int flags = 0) {
    return hipHostMalloc(address, size, flags);
}
template <typename T> static inline cudaError_t cudaMallocHost(T **address, size_t size, unsigned int flags = 0) {
    return hipHostMalloc((void **)address, size, flags);
}
static inline cudaError_t cudaHostAlloc(void **address, size_t size, unsigned int flags) {
    return hipHostMalloc(address, size, flags);
}
template <typename T> static inline cudaError_t cudaHostAlloc(T **address, size_t size, unsigned int flags) {
    return hipHostMalloc((void **)address, size, flags);
}
#define cudaHostAllocDefault hipHostMallocDefault

static inline cudaError_t cudaEventCreate(hipEvent_t *event, unsigned int flags) {
    return hipEventCreateWithFlags(event, flags);
}

/* CUDA 11 took a log, CUDA 12 takes flags. */
static inline cudaError_t cudaGraphInstantiate(hipGraphExec_t *exec, hipGraph_t graph, unsigned long long flags = 0) {
    return hipGraphInstantiateWithFlags(exec, graph, flags);
}
static inline cudaError_t cudaGraphInstantiate(hipGraphExec_t *exec, hipGraph_t graph, hipGraphNode_t *node, char *log,
                                               size_t size) {
    return hipGraphInstantiate(exec, graph, node, log, size);
}
struct cudaGraphExecUpdateResultInfo {
    hipGraphExecUpdateResult result;
    hipGraphNode_t errorNode;
    hipGraphNode_t errorFromNode;
};
static inline cudaError_t cudaGraphExecUpdate(hipGraphExec_t exec, hipGraph_t graph, hipGraphNode_t *node,
                                              hipGraphExecUpdateResult *result) {
    return hipGraphExecUpdate(exec, graph, node, result);
}
static inline cudaError_t cudaGraphExecUpdate(hipGraphExec_t exec, hipGraph_t graph,
                                              cudaGraphExecUpdateResultInfo *info) {
    info->errorFromNode = nullptr;
    return hipGraphExecUpdate(exec, graph, &info->errorNode, &info->result);
}
static inline cudaError_t cudaStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus *status,
                                                   unsigned long long *id = nullptr) {
    unsigned long long unused;
    return hipStreamGetCaptureInfo(stream, status, id ? id : &unused);
}
static inline cudaError_t cudaStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus *status,
                                                   unsigned long long *id, hipGraph_t *graph,
                                                   const hipGraphNode_t **dependencies = nullptr,
                                                   size_t *count = nullptr) {
    return hipStreamGetCaptureInfo_v2(stream, status, id, graph, dependencies, count);
}

#elif !defined(__HIPCC_RTC__) /* C: the HIP forms */

#define cudaDeviceProp hipDeviceProp_tR0600
#define cudaGetDeviceProperties hipGetDevicePropertiesR0600
#define cudaChooseDevice hipChooseDeviceR0600
#define cudaDeviceGetAttribute hipDeviceGetAttribute
#define cudaGetErrorName hipGetErrorName
#define cudaMallocHost hipMallocHost
#define cudaHostAlloc hipHostAlloc
#define cudaHostAllocDefault hipHostAllocDefault

#endif

#include "softrock/cuda/conceal.h"
#endif
