/* Part of softrock (MIT licence, see LICENSE). External resources, batched stream operations, launch attributes, graph node parameters (included by api_types.h).
 * Member order and sizes are the ABI of libamdhip64 (HIP 6 and 7). */
#ifndef SOFTROCK_HIP_API_TYPES_GRAPH_H
#define SOFTROCK_HIP_API_TYPES_GRAPH_H

#define __SR_EXTERNAL_HANDLE(member, other) \
    union { int fd; struct { void *handle; const void *name; } win32; const void *other; } member

typedef struct hipExternalMemoryHandleDesc {
    hipExternalMemoryHandleType type;
    __SR_EXTERNAL_HANDLE(handle, nvSciBufObject);
    unsigned long long size; unsigned int flags; unsigned int reserved[16];
} hipExternalMemoryHandleDesc;

typedef struct hipExternalSemaphoreHandleDesc {
    hipExternalSemaphoreHandleType type;
    __SR_EXTERNAL_HANDLE(handle, NvSciSyncObj);
    unsigned int flags; unsigned int reserved[16];
} hipExternalSemaphoreHandleDesc;
#undef __SR_EXTERNAL_HANDLE

typedef struct hipExternalMemoryBufferDesc {
    unsigned long long offset; unsigned long long size; unsigned int flags; unsigned int reserved[16];
} hipExternalMemoryBufferDesc;

typedef struct hipExternalMemoryMipmappedArrayDesc {
    unsigned long long offset; hipChannelFormatDesc formatDesc; hipExtent extent; unsigned int flags;
    unsigned int numLevels;
} hipExternalMemoryMipmappedArrayDesc;

typedef struct hipExternalSemaphoreSignalParams {
    struct {
        struct { unsigned long long value; } fence;
        union { void *fence; unsigned long long reserved; } nvSciSync;
        struct { unsigned long long key; } keyedMutex;
        unsigned int reserved[12];
    } params;
    unsigned int flags; unsigned int reserved[16];
} hipExternalSemaphoreSignalParams;

typedef struct hipExternalSemaphoreSignalNodeParams {
    hipExternalSemaphore_t *extSemArray;
    const hipExternalSemaphoreSignalParams *paramsArray;
    unsigned int numExtSems;
} hipExternalSemaphoreSignalNodeParams;

typedef struct hipExternalSemaphoreWaitParams {
    struct {
        struct { unsigned long long value; } fence;
        union { void *fence; unsigned long long reserved; } nvSciSync;
        struct { unsigned long long key; unsigned int timeoutMs; } keyedMutex;
        unsigned int reserved[10];
    } params;
    unsigned int flags; unsigned int reserved[16];
} hipExternalSemaphoreWaitParams;

typedef struct hipExternalSemaphoreWaitNodeParams {
    hipExternalSemaphore_t *extSemArray;
    const hipExternalSemaphoreWaitParams *paramsArray;
    unsigned int numExtSems;
} hipExternalSemaphoreWaitNodeParams;

typedef union hipStreamBatchMemOpParams {
    hipStreamBatchMemOpType operation;
    struct hipStreamMemOpWaitValueParams_t {
        hipStreamBatchMemOpType operation; hipDeviceptr_t address;
        union { uint32_t value; uint64_t value64; };
        unsigned int flags; hipDeviceptr_t alias;
    } waitValue;
    struct hipStreamMemOpWriteValueParams_t {
        hipStreamBatchMemOpType operation; hipDeviceptr_t address;
        union { uint32_t value; uint64_t value64; };
        unsigned int flags; hipDeviceptr_t alias;
    } writeValue;
    struct hipStreamMemOpFlushRemoteWritesParams_t { hipStreamBatchMemOpType operation; unsigned int flags; } flushRemoteWrites;
    struct hipStreamMemOpMemoryBarrierParams_t { hipStreamBatchMemOpType operation; unsigned int flags; } memoryBarrier;
    uint64_t pad[6];
} hipStreamBatchMemOpParams;

typedef struct hipBatchMemOpNodeParams {
    hipCtx_t ctx; unsigned int count; hipStreamBatchMemOpParams *paramArray; unsigned int flags;
} hipBatchMemOpNodeParams;

typedef struct hipHostNodeParams {
    hipHostFn_t fn; void *userData;
} hipHostNodeParams;

typedef struct hipKernelNodeParams {
    dim3 blockDim; void * *extra; void *func; dim3 gridDim; void * *kernelParams;
    unsigned int sharedMemBytes;
} hipKernelNodeParams;

typedef struct hipMemsetParams {
    void *dst; unsigned int elementSize; size_t height; size_t pitch; unsigned int value; size_t width;
} hipMemsetParams;

typedef struct hipMemAllocNodeParams {
    hipMemPoolProps poolProps; const hipMemAccessDesc *accessDescs; size_t accessDescCount; size_t bytesize;
    void *dptr;
} hipMemAllocNodeParams;

typedef struct hipAccessPolicyWindow {
    void *base_ptr; hipAccessProperty hitProp; float hitRatio; hipAccessProperty missProp; size_t num_bytes;
} hipAccessPolicyWindow;

typedef struct hipLaunchMemSyncDomainMap {
    unsigned char default_; unsigned char remote;
} hipLaunchMemSyncDomainMap;

typedef struct hipExtDynDataPrefetchRegion {
    void *address; size_t stride; size_t width; size_t height;
} hipExtDynDataPrefetchRegion;

typedef struct hipExtDynDataPrefetchConfig {
    unsigned int numRegions; hipExtDynDataPrefetchTemporal temporal; hipExtDynDataPrefetchRegion regions[2];
} hipExtDynDataPrefetchConfig;

typedef union hipLaunchAttributeValue {
    char pad[64];
    hipAccessPolicyWindow accessPolicyWindow;
    int cooperative;
    int priority;
    hipSynchronizationPolicy syncPolicy;
    hipLaunchMemSyncDomainMap memSyncDomainMap;
    hipLaunchMemSyncDomain memSyncDomain;
    struct { unsigned int x; unsigned int y; unsigned int z; } clusterDim;
    hipClusterSchedulingPolicy clusterSchedulingPolicyPreference;
    const hipExtDynDataPrefetchConfig *dynDataPrefetch;
} hipLaunchAttributeValue;

typedef struct hipLaunchAttribute_st {
    hipLaunchAttributeID id;
    char pad[8 - sizeof(hipLaunchAttributeID)];
    union {
        hipLaunchAttributeValue val;
        hipLaunchAttributeValue value;
    };
} hipLaunchAttribute;

typedef struct hipLaunchConfig_st {
    dim3 gridDim; dim3 blockDim; size_t dynamicSmemBytes; hipStream_t stream; hipLaunchAttribute *attrs;
    unsigned int numAttrs;
} hipLaunchConfig_t;

typedef struct HIP_LAUNCH_CONFIG_st {
    unsigned int gridDimX; unsigned int gridDimY; unsigned int gridDimZ; unsigned int blockDimX;
    unsigned int blockDimY; unsigned int blockDimZ; unsigned int sharedMemBytes; hipStream_t hStream;
    hipLaunchAttribute *attrs; unsigned int numAttrs;
} HIP_LAUNCH_CONFIG;

typedef struct hipGraphInstantiateParams {
    hipGraphNode_t errNode_out; unsigned long long flags; hipGraphInstantiateResult result_out;
    hipStream_t uploadStream;
} hipGraphInstantiateParams;

typedef struct hipMemcpyNodeParams {
    int flags; int reserved[3]; hipMemcpy3DParms copyParams;
} hipMemcpyNodeParams;

typedef struct hipChildGraphNodeParams {
    hipGraph_t graph;
} hipChildGraphNodeParams;

typedef struct hipEventWaitNodeParams {
    hipEvent_t event;
} hipEventWaitNodeParams;

typedef struct hipEventRecordNodeParams {
    hipEvent_t event;
} hipEventRecordNodeParams;

typedef struct hipMemFreeNodeParams {
    void *dptr;
} hipMemFreeNodeParams;

typedef struct hipGraphEdgeData {
    unsigned char from_port; unsigned char reserved[5]; unsigned char to_port; unsigned char type;
} hipGraphEdgeData;

typedef struct hipGraphNodeParams {
    hipGraphNodeType type;
    int reserved0[3];
    union {
        long long reserved1[29];
        hipKernelNodeParams kernel;
        hipMemcpyNodeParams memcpy;
        hipMemsetParams memset;
        hipHostNodeParams host;
        hipChildGraphNodeParams graph;
        hipEventWaitNodeParams eventWait;
        hipEventRecordNodeParams eventRecord;
        hipExternalSemaphoreSignalNodeParams extSemSignal;
        hipExternalSemaphoreWaitNodeParams extSemWait;
        hipMemAllocNodeParams alloc;
        hipMemFreeNodeParams free;
    };
    long long reserved2;
} hipGraphNodeParams;

#endif
