/* Part of softrock (MIT licence, see LICENSE). Handles and structures of the HIP runtime API.
 * Member order and sizes are the ABI of libamdhip64 (HIP 6 and 7). */
#ifndef SOFTROCK_HIP_API_TYPES_H
#define SOFTROCK_HIP_API_TYPES_H

#include "hip/detail/integers.h"

#include "hip/detail/api_enums.h"
#include "hip/detail/api_flags.h"
#include "hip/detail/macros.h"
#if defined(__cplusplus) && __cplusplus >= 201103L
#include "hip/hip_vector_types.h"
#endif

/* ---- handles ---- */
typedef struct ihipCtx_t *hipCtx_t;
typedef struct ihipStream_t *hipStream_t;
typedef struct ihipEvent_t *hipEvent_t;
typedef struct ihipModule_t *hipModule_t;
typedef struct ihipModuleSymbol_t *hipFunction_t;
typedef struct ihipLinkState_t *hipLinkState_t;
typedef struct ihipLibrary_t *hipLibrary_t;
typedef struct ihipKernel_t *hipKernel_t;
typedef struct ihipMemPoolHandle_t *hipMemPool_t;
typedef struct ihipExecutionCtx_t *hipExecutionCtx_t;
typedef struct ihipDevResourceDesc_t *hipDevResourceDesc_t;
typedef struct ihipGraph *hipGraph_t;
typedef struct hipGraphNode *hipGraphNode_t;
typedef struct hipGraphExec *hipGraphExec_t;
typedef struct hipUserObject *hipUserObject_t;
typedef struct ihipMemGenericAllocationHandle *hipMemGenericAllocationHandle_t;
typedef struct hipArray *hipArray_t;
typedef const struct hipArray *hipArray_const_t;
typedef struct hipArray hipArray;
typedef struct __hip_texture *hipTextureObject_t;
typedef struct __hip_surface *hipSurfaceObject_t;
typedef struct _hipGraphicsResource hipGraphicsResource;
typedef hipGraphicsResource *hipGraphicsResource_t;
typedef int hipDevice_t;
typedef void *hipDeviceptr_t;
typedef void *hipExternalMemory_t;
typedef void *hipExternalSemaphore_t;

typedef void (*hipStreamCallback_t)(hipStream_t stream, hipError_t status, void *userData);
typedef void (*hipHostFn_t)(void *userData);

/* ---- devices ---- */
typedef struct hipUUID_t {
    char bytes[16];
} hipUUID_t;
typedef hipUUID_t hipUUID;

/* One bit a capability. */
typedef struct hipDeviceArch_t {
    unsigned hasGlobalInt32Atomics : 1;
    unsigned hasGlobalFloatAtomicExch : 1;
    unsigned hasSharedInt32Atomics : 1;
    unsigned hasSharedFloatAtomicExch : 1;
    unsigned hasFloatAtomicAdd : 1;
    unsigned hasGlobalInt64Atomics : 1;
    unsigned hasSharedInt64Atomics : 1;
    unsigned hasDoubles : 1;
    unsigned hasWarpVote : 1;
    unsigned hasWarpBallot : 1;
    unsigned hasWarpShuffle : 1;
    unsigned hasFunnelShift : 1;
    unsigned hasThreadFenceSystem : 1;
    unsigned hasSyncThreadsExt : 1;
    unsigned hasSurfaceFuncs : 1;
    unsigned has3dGrid : 1;
    unsigned hasDynamicParallelism : 1;
} hipDeviceArch_t;

typedef struct hipDeviceProp_tR0600 {
    char name[256]; hipUUID_t uuid; char luid[8]; unsigned int luidDeviceNodeMask; size_t totalGlobalMem;
    size_t sharedMemPerBlock; int regsPerBlock; int warpSize; size_t memPitch; int maxThreadsPerBlock;
    int maxThreadsDim[3]; int maxGridSize[3]; int clockRate; size_t totalConstMem; int major; int minor;
    size_t textureAlignment; size_t texturePitchAlignment; int deviceOverlap; int multiProcessorCount;
    int kernelExecTimeoutEnabled; int integrated; int canMapHostMemory; int computeMode; int maxTexture1D;
    int maxTexture1DMipmap; int maxTexture1DLinear; int maxTexture2D[2]; int maxTexture2DMipmap[2];
    int maxTexture2DLinear[3]; int maxTexture2DGather[2]; int maxTexture3D[3]; int maxTexture3DAlt[3];
    int maxTextureCubemap; int maxTexture1DLayered[2]; int maxTexture2DLayered[3];
    int maxTextureCubemapLayered[2]; int maxSurface1D; int maxSurface2D[2]; int maxSurface3D[3];
    int maxSurface1DLayered[2]; int maxSurface2DLayered[3]; int maxSurfaceCubemap;
    int maxSurfaceCubemapLayered[2]; size_t surfaceAlignment; int concurrentKernels; int ECCEnabled;
    int pciBusID; int pciDeviceID; int pciDomainID; int tccDriver; int asyncEngineCount;
    int unifiedAddressing; int memoryClockRate; int memoryBusWidth; int l2CacheSize;
    int persistingL2CacheMaxSize; int maxThreadsPerMultiProcessor; int streamPrioritiesSupported;
    int globalL1CacheSupported; int localL1CacheSupported; size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor; int managedMemory; int isMultiGpuBoard; int multiGpuBoardGroupID;
    int hostNativeAtomicSupported; int singleToDoublePrecisionPerfRatio; int pageableMemoryAccess;
    int concurrentManagedAccess; int computePreemptionSupported; int canUseHostPointerForRegisteredMem;
    int cooperativeLaunch; int cooperativeMultiDeviceLaunch; size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables; int directManagedMemAccessFromHost;
    int maxBlocksPerMultiProcessor; int accessPolicyMaxWindowSize; size_t reservedSharedMemPerBlock;
    int hostRegisterSupported; int sparseHipArraySupported; int hostRegisterReadOnlySupported;
    int timelineSemaphoreInteropSupported; int memoryPoolsSupported; int gpuDirectRDMASupported;
    unsigned int gpuDirectRDMAFlushWritesOptions; int gpuDirectRDMAWritesOrdering;
    unsigned int memoryPoolSupportedHandleTypes; int deferredMappingHipArraySupported;
    int ipcEventSupported; int clusterLaunch; int unifiedFunctionPointers; int reserved[63];
    int hipReserved[32]; char gcnArchName[256]; size_t maxSharedMemoryPerMultiProcessor;
    int clockInstructionRate; hipDeviceArch_t arch; unsigned int *hdpMemFlushCntl;
    unsigned int *hdpRegFlushCntl; int cooperativeMultiDeviceUnmatchedFunc;
    int cooperativeMultiDeviceUnmatchedGridDim; int cooperativeMultiDeviceUnmatchedBlockDim;
    int cooperativeMultiDeviceUnmatchedSharedMem; int isLargeBar; int asicRevision;
} hipDeviceProp_tR0600;

/* The layout that HIP 6 introduced is the only one here; older programs bound to another are not served. */
#define hipDeviceProp_t hipDeviceProp_tR0600
#define hipGetDeviceProperties hipGetDevicePropertiesR0600
#define hipChooseDevice hipChooseDeviceR0600

typedef struct hipDevSmResource {
    unsigned int smCount; unsigned int minSmPartitionSize; unsigned int smCoscheduledAlignment;
    unsigned int flags;
} hipDevSmResource;

typedef struct hipDevWorkqueueConfigResource {
    int device; unsigned int wqConcurrencyLimit; hipDevWorkqueueConfigScope sharingScope;
} hipDevWorkqueueConfigResource;

typedef struct hipDevWorkqueueResource {
    unsigned char reserved[40];
} hipDevWorkqueueResource;

typedef struct hipDevResource {
    hipDevResourceType type;
    unsigned char _internal_padding[92];
    union {
        hipDevSmResource sm;
        hipDevWorkqueueConfigResource wqConfig;
        hipDevWorkqueueResource wq;
        unsigned char _oversize[40];
    };
    struct hipDevResource *nextResource;
} hipDevResource;

typedef struct hipDevSmResourceGroupParams {
    unsigned int smCount; unsigned int coscheduledSmCount; unsigned int preferredCoscheduledSmCount;
    unsigned int flags; unsigned int reserved[12];
} hipDevSmResourceGroupParams;

/* ---- launch geometry ---- */
typedef struct dim3 {
    uint32_t x;
    uint32_t y;
    uint32_t z;
#ifdef __cplusplus
#if __cplusplus >= 201103L
    __SR_HOST_DEVICE constexpr dim3(uint32_t vx = 1, uint32_t vy = 1, uint32_t vz = 1) : x(vx), y(vy), z(vz) {}
    __SR_HOST_DEVICE constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __SR_HOST_DEVICE constexpr operator uint3() const { return uint3{x, y, z}; }
#else
    __SR_HOST_DEVICE dim3(uint32_t vx = 1, uint32_t vy = 1, uint32_t vz = 1) : x(vx), y(vy), z(vz) {}
#endif
#endif
} dim3;

typedef struct hipLaunchParams {
    void *func; dim3 gridDim; dim3 blockDim; void * *args; size_t sharedMem; hipStream_t stream;
} hipLaunchParams;

typedef struct hipFunctionLaunchParams {
    hipFunction_t function; unsigned int gridDimX; unsigned int gridDimY; unsigned int gridDimZ;
    unsigned int blockDimX; unsigned int blockDimY; unsigned int blockDimZ; unsigned int sharedMemBytes;
    hipStream_t hStream; void * *kernelParams;
} hipFunctionLaunchParams;

typedef struct hipFuncAttributes {
    int binaryVersion; int cacheModeCA; size_t constSizeBytes; size_t localSizeBytes;
    int maxDynamicSharedSizeBytes; int maxThreadsPerBlock; int numRegs; int preferredShmemCarveout;
    int ptxVersion; size_t sharedSizeBytes;
} hipFuncAttributes;

/* ---- memory ---- */
typedef struct hipPointerAttribute_t {
    hipMemoryType type; int device; void *devicePointer; void *hostPointer; int isManaged;
    unsigned int allocationFlags;
} hipPointerAttribute_t;

typedef struct hipPitchedPtr {
    void *ptr; size_t pitch; size_t xsize; size_t ysize;
} hipPitchedPtr;

typedef struct hipExtent {
    size_t width; size_t height; size_t depth;
} hipExtent;

typedef struct hipPos {
    size_t x; size_t y; size_t z;
} hipPos;

typedef struct hipOffset3D {
    size_t x; size_t y; size_t z;
} hipOffset3D;

typedef struct hipChannelFormatDesc {
    int x; int y; int z; int w; hipChannelFormatKind f;
} hipChannelFormatDesc;

typedef struct HIP_ARRAY_DESCRIPTOR {
    size_t Width; size_t Height; hipArray_Format Format; unsigned int NumChannels;
} HIP_ARRAY_DESCRIPTOR;

typedef struct HIP_ARRAY3D_DESCRIPTOR {
    size_t Width; size_t Height; size_t Depth; hipArray_Format Format; unsigned int NumChannels;
    unsigned int Flags;
} HIP_ARRAY3D_DESCRIPTOR;

typedef struct hip_Memcpy2D {
    size_t srcXInBytes; size_t srcY; hipMemoryType srcMemoryType; const void *srcHost; void *srcDevice;
    hipArray_t srcArray; size_t srcPitch; size_t dstXInBytes; size_t dstY; hipMemoryType dstMemoryType;
    void *dstHost; void *dstDevice; hipArray_t dstArray; size_t dstPitch; size_t WidthInBytes;
    size_t Height;
} hip_Memcpy2D;

typedef struct hipMemcpy3DParms {
    hipArray_t srcArray; hipPos srcPos; hipPitchedPtr srcPtr; hipArray_t dstArray; hipPos dstPos;
    hipPitchedPtr dstPtr; hipExtent extent; hipMemcpyKind kind;
} hipMemcpy3DParms;

typedef struct HIP_MEMCPY3D {
    size_t srcXInBytes; size_t srcY; size_t srcZ; size_t srcLOD; hipMemoryType srcMemoryType;
    const void *srcHost; void *srcDevice; hipArray_t srcArray; size_t srcPitch; size_t srcHeight;
    size_t dstXInBytes; size_t dstY; size_t dstZ; size_t dstLOD; hipMemoryType dstMemoryType; void *dstHost;
    void *dstDevice; hipArray_t dstArray; size_t dstPitch; size_t dstHeight; size_t WidthInBytes;
    size_t Height; size_t Depth;
} HIP_MEMCPY3D;

typedef struct hipMemcpy3DPeerParms {
    hipArray_t srcArray; hipPos srcPos; hipPitchedPtr srcPtr; int srcDevice; hipArray_t dstArray;
    hipPos dstPos; hipPitchedPtr dstPtr; int dstDevice; hipExtent extent;
} hipMemcpy3DPeerParms;

typedef struct hipMemLocation {
    hipMemLocationType type; int id;
} hipMemLocation;

typedef struct hipMemcpyAttributes {
    hipMemcpySrcAccessOrder srcAccessOrder; hipMemLocation srcLocHint; hipMemLocation dstLocHint;
    unsigned int flags;
} hipMemcpyAttributes;

typedef struct hipMemcpy3DOperand {
    hipMemcpy3DOperandType type;
    union {
        struct { void *ptr; size_t rowLength; size_t layerHeight; hipMemLocation locHint; } ptr;
        struct { hipArray_t array; hipOffset3D offset; } array;
    } op;
} hipMemcpy3DOperand;

typedef struct hipMemcpy3DBatchOp {
    hipMemcpy3DOperand src; hipMemcpy3DOperand dst; hipExtent extent;
    hipMemcpySrcAccessOrder srcAccessOrder; unsigned int flags;
} hipMemcpy3DBatchOp;

typedef struct hipMemAccessDesc {
    hipMemLocation location; hipMemAccessFlags flags;
} hipMemAccessDesc;

typedef struct hipMemPoolProps {
    hipMemAllocationType allocType; hipMemAllocationHandleType handleTypes; hipMemLocation location;
    void *win32SecurityAttributes; size_t maxSize; unsigned char reserved[56];
} hipMemPoolProps;

typedef struct hipMemPoolPtrExportData {
    unsigned char reserved[64];
} hipMemPoolPtrExportData;

typedef struct hipArrayMemoryRequirements {
    size_t alignment; size_t size;
} hipArrayMemoryRequirements;

typedef struct hipMipmappedArray {
    void *data; hipChannelFormatDesc desc; unsigned int type; unsigned int width; unsigned int height;
    unsigned int depth; unsigned int min_mipmap_level; unsigned int max_mipmap_level; unsigned int flags;
    hipArray_Format format; unsigned int num_channels;
} hipMipmappedArray;

typedef hipMipmappedArray *hipMipmappedArray_t;
typedef hipMipmappedArray_t hipmipmappedArray;
typedef const hipMipmappedArray *hipMipmappedArray_const_t;

typedef struct hipIpcMemHandle_st {
    char reserved[64];
} hipIpcMemHandle_t;

typedef struct hipIpcEventHandle_st {
    char reserved[64];
} hipIpcEventHandle_t;

typedef struct hipMemFabricHandle_st {
    unsigned char data[64];
} hipMemFabricHandle_t;

typedef struct hipMemAllocationProp {
    hipMemAllocationType type;
    union {
        hipMemAllocationHandleType requestedHandleType;
        hipMemAllocationHandleType requestedHandleTypes;
    };
    hipMemLocation location;
    void *win32HandleMetaData;
    struct { unsigned char compressionType; unsigned char gpuDirectRDMACapable; unsigned short usage; } allocFlags;
} hipMemAllocationProp;

typedef struct hipArrayMapInfo {
    hipResourceType resourceType;
    union {
        hipMipmappedArray mipmap;
        hipArray_t array;
    } resource;
    hipArraySparseSubresourceType subresourceType;
    union {
        struct {
            unsigned int level; unsigned int layer; unsigned int offsetX; unsigned int offsetY; unsigned int offsetZ;
            unsigned int extentWidth; unsigned int extentHeight; unsigned int extentDepth;
        } sparseLevel;
        struct { unsigned int layer; unsigned long long offset; unsigned long long size; } miptail;
    } subresource;
    hipMemOperationType memOperationType;
    hipMemHandleType memHandleType;
    union {
        hipMemGenericAllocationHandle_t memHandle;
    } memHandle;
    unsigned long long offset;
    unsigned int deviceBitMask; unsigned int flags; unsigned int reserved[2];
} hipArrayMapInfo;

#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L)
static inline hipPitchedPtr make_hipPitchedPtr(void *d, size_t p, size_t xsz, size_t ysz) {
    hipPitchedPtr out;
    out.ptr = d, out.pitch = p, out.xsize = xsz, out.ysize = ysz;
    return out;
}
static inline hipPos make_hipPos(size_t x, size_t y, size_t z) {
    hipPos out;
    out.x = x, out.y = y, out.z = z;
    return out;
}
static inline hipExtent make_hipExtent(size_t w, size_t h, size_t d) {
    hipExtent out;
    out.width = w, out.height = h, out.depth = d;
    return out;
}
#endif

#include "hip/detail/api_types_texture.h"
#include "hip/detail/api_types_graph.h"

#endif
