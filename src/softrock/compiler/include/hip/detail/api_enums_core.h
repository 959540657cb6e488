/* Part of softrock (MIT licence, see LICENSE). Errors, device attributes, memory, textures, functions and limits.
 * Names and numeric values follow the documented HIP 7 runtime API and were checked against AMD's public
 * Python bindings of it. */
#ifndef SOFTROCK_HIP_API_ENUMS_CORE_H
#define SOFTROCK_HIP_API_ENUMS_CORE_H

/* CUDA sources do not expect to be told off for an unchecked call; HIP sources do. */
#if defined(__cplusplus) && !defined(__SOFTROCK_CUDA__)
#if __cplusplus >= 201703L
#define __SR_NODISCARD [[nodiscard]]
#endif
#endif
#ifndef __SR_NODISCARD
#define __SR_NODISCARD
#endif

typedef enum __SR_NODISCARD hipError_t {
    hipSuccess = 0, hipErrorInvalidValue = 1, hipErrorOutOfMemory = 2, hipErrorMemoryAllocation = 2,
    hipErrorNotInitialized = 3, hipErrorInitializationError = 3, hipErrorDeinitialized = 4,
    hipErrorProfilerDisabled = 5, hipErrorProfilerNotInitialized = 6, hipErrorProfilerAlreadyStarted = 7,
    hipErrorProfilerAlreadyStopped = 8, hipErrorInvalidConfiguration = 9, hipErrorInvalidPitchValue = 12,
    hipErrorInvalidSymbol = 13, hipErrorInvalidDevicePointer = 17, hipErrorInvalidMemcpyDirection = 21,
    hipErrorInsufficientDriver = 35, hipErrorMissingConfiguration = 52, hipErrorPriorLaunchFailure = 53,
    hipErrorInvalidDeviceFunction = 98, hipErrorNoDevice = 100, hipErrorInvalidDevice = 101,
    hipErrorInvalidImage = 200, hipErrorInvalidContext = 201, hipErrorContextAlreadyCurrent = 202,
    hipErrorMapFailed = 205, hipErrorMapBufferObjectFailed = 205, hipErrorUnmapFailed = 206,
    hipErrorArrayIsMapped = 207, hipErrorAlreadyMapped = 208, hipErrorNoBinaryForGpu = 209,
    hipErrorAlreadyAcquired = 210, hipErrorNotMapped = 211, hipErrorNotMappedAsArray = 212,
    hipErrorNotMappedAsPointer = 213, hipErrorECCNotCorrectable = 214, hipErrorUnsupportedLimit = 215,
    hipErrorContextAlreadyInUse = 216, hipErrorPeerAccessUnsupported = 217, hipErrorInvalidKernelFile = 218,
    hipErrorInvalidGraphicsContext = 219, hipErrorInvalidSource = 300, hipErrorFileNotFound = 301,
    hipErrorSharedObjectSymbolNotFound = 302, hipErrorSharedObjectInitFailed = 303,
    hipErrorOperatingSystem = 304, hipErrorInvalidHandle = 400, hipErrorInvalidResourceHandle = 400,
    hipErrorIllegalState = 401, hipErrorNotFound = 500, hipErrorNotReady = 600, hipErrorIllegalAddress = 700,
    hipErrorLaunchOutOfResources = 701, hipErrorLaunchTimeOut = 702, hipErrorPeerAccessAlreadyEnabled = 704,
    hipErrorPeerAccessNotEnabled = 705, hipErrorSetOnActiveProcess = 708, hipErrorContextIsDestroyed = 709,
    hipErrorAssert = 710, hipErrorHostMemoryAlreadyRegistered = 712, hipErrorHostMemoryNotRegistered = 713,
    hipErrorLaunchFailure = 719, hipErrorCooperativeLaunchTooLarge = 720, hipErrorNotSupported = 801,
    hipErrorStreamCaptureUnsupported = 900, hipErrorStreamCaptureInvalidated = 901,
    hipErrorStreamCaptureMerge = 902, hipErrorStreamCaptureUnmatched = 903,
    hipErrorStreamCaptureUnjoined = 904, hipErrorStreamCaptureIsolation = 905,
    hipErrorStreamCaptureImplicit = 906, hipErrorCapturedEvent = 907, hipErrorStreamCaptureWrongThread = 908,
    hipErrorGraphExecUpdateFailure = 910, hipErrorInvalidChannelDescriptor = 911,
    hipErrorInvalidTexture = 912, hipErrorInvalidResourceType = 914,
    hipErrorInvalidResourceConfiguration = 915, hipErrorStreamDetached = 916, hipErrorUnknown = 999,
    hipErrorRuntimeMemory = 1052, hipErrorRuntimeOther = 1053, hipErrorInvalidClusterSize = 1054,
    hipErrorTbd = 1055
} hipError_t;

typedef enum hipDeviceAttribute_t {
    hipDeviceAttributeCudaCompatibleBegin = 0, hipDeviceAttributeEccEnabled = 0,
    hipDeviceAttributeAccessPolicyMaxWindowSize = 1, hipDeviceAttributeAsyncEngineCount = 2,
    hipDeviceAttributeCanMapHostMemory = 3, hipDeviceAttributeCanUseHostPointerForRegisteredMem = 4,
    hipDeviceAttributeClockRate = 5, hipDeviceAttributeComputeMode = 6,
    hipDeviceAttributeComputePreemptionSupported = 7, hipDeviceAttributeConcurrentKernels = 8,
    hipDeviceAttributeConcurrentManagedAccess = 9, hipDeviceAttributeCooperativeLaunch = 10,
    hipDeviceAttributeCooperativeMultiDeviceLaunch = 11, hipDeviceAttributeDeviceOverlap = 12,
    hipDeviceAttributeDirectManagedMemAccessFromHost = 13, hipDeviceAttributeGlobalL1CacheSupported = 14,
    hipDeviceAttributeHostNativeAtomicSupported = 15, hipDeviceAttributeIntegrated = 16,
    hipDeviceAttributeIsMultiGpuBoard = 17, hipDeviceAttributeKernelExecTimeout = 18,
    hipDeviceAttributeL2CacheSize = 19, hipDeviceAttributeLocalL1CacheSupported = 20,
    hipDeviceAttributeLuid = 21, hipDeviceAttributeLuidDeviceNodeMask = 22,
    hipDeviceAttributeComputeCapabilityMajor = 23, hipDeviceAttributeManagedMemory = 24,
    hipDeviceAttributeMaxBlocksPerMultiProcessor = 25, hipDeviceAttributeMaxBlockDimX = 26,
    hipDeviceAttributeMaxBlockDimY = 27, hipDeviceAttributeMaxBlockDimZ = 28,
    hipDeviceAttributeMaxGridDimX = 29, hipDeviceAttributeMaxGridDimY = 30,
    hipDeviceAttributeMaxGridDimZ = 31, hipDeviceAttributeMaxSurface1D = 32,
    hipDeviceAttributeMaxSurface1DLayered = 33, hipDeviceAttributeMaxSurface2D = 34,
    hipDeviceAttributeMaxSurface2DLayered = 35, hipDeviceAttributeMaxSurface3D = 36,
    hipDeviceAttributeMaxSurfaceCubemap = 37, hipDeviceAttributeMaxSurfaceCubemapLayered = 38,
    hipDeviceAttributeMaxTexture1DWidth = 39, hipDeviceAttributeMaxTexture1DLayered = 40,
    hipDeviceAttributeMaxTexture1DLinear = 41, hipDeviceAttributeMaxTexture1DMipmap = 42,
    hipDeviceAttributeMaxTexture2DWidth = 43, hipDeviceAttributeMaxTexture2DHeight = 44,
    hipDeviceAttributeMaxTexture2DGather = 45, hipDeviceAttributeMaxTexture2DLayered = 46,
    hipDeviceAttributeMaxTexture2DLinear = 47, hipDeviceAttributeMaxTexture2DMipmap = 48,
    hipDeviceAttributeMaxTexture3DWidth = 49, hipDeviceAttributeMaxTexture3DHeight = 50,
    hipDeviceAttributeMaxTexture3DDepth = 51, hipDeviceAttributeMaxTexture3DAlt = 52,
    hipDeviceAttributeMaxTextureCubemap = 53, hipDeviceAttributeMaxTextureCubemapLayered = 54,
    hipDeviceAttributeMaxThreadsDim = 55, hipDeviceAttributeMaxThreadsPerBlock = 56,
    hipDeviceAttributeMaxThreadsPerMultiProcessor = 57, hipDeviceAttributeMaxPitch = 58,
    hipDeviceAttributeMemoryBusWidth = 59, hipDeviceAttributeMemoryClockRate = 60,
    hipDeviceAttributeComputeCapabilityMinor = 61, hipDeviceAttributeMultiGpuBoardGroupID = 62,
    hipDeviceAttributeMultiprocessorCount = 63, hipDeviceAttributeUnused1 = 64,
    hipDeviceAttributePageableMemoryAccess = 65,
    hipDeviceAttributePageableMemoryAccessUsesHostPageTables = 66, hipDeviceAttributePciBusId = 67,
    hipDeviceAttributePciDeviceId = 68, hipDeviceAttributePciDomainId = 69,
    hipDeviceAttributePciDomainID = 69, hipDeviceAttributePersistingL2CacheMaxSize = 70,
    hipDeviceAttributeMaxRegistersPerBlock = 71, hipDeviceAttributeMaxRegistersPerMultiprocessor = 72,
    hipDeviceAttributeReservedSharedMemPerBlock = 73, hipDeviceAttributeMaxSharedMemoryPerBlock = 74,
    hipDeviceAttributeSharedMemPerBlockOptin = 75, hipDeviceAttributeSharedMemPerMultiprocessor = 76,
    hipDeviceAttributeSingleToDoublePrecisionPerfRatio = 77, hipDeviceAttributeStreamPrioritiesSupported = 78,
    hipDeviceAttributeSurfaceAlignment = 79, hipDeviceAttributeTccDriver = 80,
    hipDeviceAttributeTextureAlignment = 81, hipDeviceAttributeTexturePitchAlignment = 82,
    hipDeviceAttributeTotalConstantMemory = 83, hipDeviceAttributeTotalGlobalMem = 84,
    hipDeviceAttributeUnifiedAddressing = 85, hipDeviceAttributeUnused2 = 86, hipDeviceAttributeWarpSize = 87,
    hipDeviceAttributeMemoryPoolsSupported = 88, hipDeviceAttributeVirtualMemoryManagementSupported = 89,
    hipDeviceAttributeHostRegisterSupported = 90, hipDeviceAttributeMemoryPoolSupportedHandleTypes = 91,
    hipDeviceAttributeHostNumaId = 92, hipDeviceAttributeDmaBufSupported = 93,
    hipDeviceAttributeGPUDirectRDMAWithHipVMMSupported = 94, hipDeviceAttributeHandleTypeFabricSupported = 95,
    hipDeviceAttributeCudaCompatibleEnd = 9999, hipDeviceAttributeAmdSpecificBegin = 10000,
    hipDeviceAttributeClockInstructionRate = 10000, hipDeviceAttributeUnused3 = 10001,
    hipDeviceAttributeMaxSharedMemoryPerMultiprocessor = 10002, hipDeviceAttributeUnused4 = 10003,
    hipDeviceAttributeUnused5 = 10004, hipDeviceAttributeHdpMemFlushCntl = 10005,
    hipDeviceAttributeHdpRegFlushCntl = 10006, hipDeviceAttributeCooperativeMultiDeviceUnmatchedFunc = 10007,
    hipDeviceAttributeCooperativeMultiDeviceUnmatchedGridDim = 10008,
    hipDeviceAttributeCooperativeMultiDeviceUnmatchedBlockDim = 10009,
    hipDeviceAttributeCooperativeMultiDeviceUnmatchedSharedMem = 10010, hipDeviceAttributeIsLargeBar = 10011,
    hipDeviceAttributeAsicRevision = 10012, hipDeviceAttributeCanUseStreamWaitValue = 10013,
    hipDeviceAttributeImageSupport = 10014, hipDeviceAttributePhysicalMultiProcessorCount = 10015,
    hipDeviceAttributeFineGrainSupport = 10016, hipDeviceAttributeWallClockRate = 10017,
    hipDeviceAttributeNumberOfXccs = 10018, hipDeviceAttributeMaxAvailableVgprsPerThread = 10019,
    hipDeviceAttributePciChipId = 10020, hipDeviceAttributeExpertSchedMode = 10021,
    hipDeviceAttributeMaxDynDataPrefetchRegions = 10022, hipDeviceAttributeAmdSpecificEnd = 19999,
    hipDeviceAttributeVendorSpecificBegin = 20000
} hipDeviceAttribute_t;

typedef enum hipMemoryType {
    hipMemoryTypeUnregistered = 0, hipMemoryTypeHost = 1, hipMemoryTypeDevice = 2, hipMemoryTypeManaged = 3,
    hipMemoryTypeArray = 10, hipMemoryTypeUnified = 11
} hipMemoryType;

typedef enum hipDriverProcAddressQueryResult {
    HIP_GET_PROC_ADDRESS_SUCCESS = 0, HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND = 1,
    HIP_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT = 2
} hipDriverProcAddressQueryResult;

typedef enum hipComputeMode {
    hipComputeModeDefault = 0, hipComputeModeExclusive = 1, hipComputeModeProhibited = 2,
    hipComputeModeExclusiveProcess = 3
} hipComputeMode;

typedef enum hipFlushGPUDirectRDMAWritesOptions {
    hipFlushGPUDirectRDMAWritesOptionHost = 1, hipFlushGPUDirectRDMAWritesOptionMemOps = 2
} hipFlushGPUDirectRDMAWritesOptions;

typedef enum hipGPUDirectRDMAWritesOrdering {
    hipGPUDirectRDMAWritesOrderingNone = 0, hipGPUDirectRDMAWritesOrderingOwner = 100,
    hipGPUDirectRDMAWritesOrderingAllDevices = 200
} hipGPUDirectRDMAWritesOrdering;

typedef enum hipChannelFormatKind {
    hipChannelFormatKindSigned = 0, hipChannelFormatKindUnsigned = 1, hipChannelFormatKindFloat = 2,
    hipChannelFormatKindNone = 3
} hipChannelFormatKind;

typedef enum hipArray_Format {
    HIP_AD_FORMAT_UNSIGNED_INT8 = 1, HIP_AD_FORMAT_UNSIGNED_INT16 = 2, HIP_AD_FORMAT_UNSIGNED_INT32 = 3,
    HIP_AD_FORMAT_SIGNED_INT8 = 8, HIP_AD_FORMAT_SIGNED_INT16 = 9, HIP_AD_FORMAT_SIGNED_INT32 = 10,
    HIP_AD_FORMAT_HALF = 16, HIP_AD_FORMAT_FLOAT = 32
} hipArray_Format;

typedef enum hipResourceType {
    hipResourceTypeArray = 0, hipResourceTypeMipmappedArray = 1, hipResourceTypeLinear = 2,
    hipResourceTypePitch2D = 3
} hipResourceType;

typedef enum HIPresourcetype_enum {
    HIP_RESOURCE_TYPE_ARRAY = 0, HIP_RESOURCE_TYPE_MIPMAPPED_ARRAY = 1, HIP_RESOURCE_TYPE_LINEAR = 2,
    HIP_RESOURCE_TYPE_PITCH2D = 3
} HIPresourcetype;

typedef enum HIPaddress_mode_enum {
    HIP_TR_ADDRESS_MODE_WRAP = 0, HIP_TR_ADDRESS_MODE_CLAMP = 1, HIP_TR_ADDRESS_MODE_MIRROR = 2,
    HIP_TR_ADDRESS_MODE_BORDER = 3
} HIPaddress_mode;

typedef enum HIPfilter_mode_enum {
    HIP_TR_FILTER_MODE_POINT = 0, HIP_TR_FILTER_MODE_LINEAR = 1
} HIPfilter_mode;

typedef enum hipResourceViewFormat {
    hipResViewFormatNone = 0, hipResViewFormatUnsignedChar1 = 1, hipResViewFormatUnsignedChar2 = 2,
    hipResViewFormatUnsignedChar4 = 3, hipResViewFormatSignedChar1 = 4, hipResViewFormatSignedChar2 = 5,
    hipResViewFormatSignedChar4 = 6, hipResViewFormatUnsignedShort1 = 7, hipResViewFormatUnsignedShort2 = 8,
    hipResViewFormatUnsignedShort4 = 9, hipResViewFormatSignedShort1 = 10, hipResViewFormatSignedShort2 = 11,
    hipResViewFormatSignedShort4 = 12, hipResViewFormatUnsignedInt1 = 13, hipResViewFormatUnsignedInt2 = 14,
    hipResViewFormatUnsignedInt4 = 15, hipResViewFormatSignedInt1 = 16, hipResViewFormatSignedInt2 = 17,
    hipResViewFormatSignedInt4 = 18, hipResViewFormatHalf1 = 19, hipResViewFormatHalf2 = 20,
    hipResViewFormatHalf4 = 21, hipResViewFormatFloat1 = 22, hipResViewFormatFloat2 = 23,
    hipResViewFormatFloat4 = 24, hipResViewFormatUnsignedBlockCompressed1 = 25,
    hipResViewFormatUnsignedBlockCompressed2 = 26, hipResViewFormatUnsignedBlockCompressed3 = 27,
    hipResViewFormatUnsignedBlockCompressed4 = 28, hipResViewFormatSignedBlockCompressed4 = 29,
    hipResViewFormatUnsignedBlockCompressed5 = 30, hipResViewFormatSignedBlockCompressed5 = 31,
    hipResViewFormatUnsignedBlockCompressed6H = 32, hipResViewFormatSignedBlockCompressed6H = 33,
    hipResViewFormatUnsignedBlockCompressed7 = 34
} hipResourceViewFormat;

typedef enum HIPresourceViewFormat_enum {
    HIP_RES_VIEW_FORMAT_NONE = 0, HIP_RES_VIEW_FORMAT_UINT_1X8 = 1, HIP_RES_VIEW_FORMAT_UINT_2X8 = 2,
    HIP_RES_VIEW_FORMAT_UINT_4X8 = 3, HIP_RES_VIEW_FORMAT_SINT_1X8 = 4, HIP_RES_VIEW_FORMAT_SINT_2X8 = 5,
    HIP_RES_VIEW_FORMAT_SINT_4X8 = 6, HIP_RES_VIEW_FORMAT_UINT_1X16 = 7, HIP_RES_VIEW_FORMAT_UINT_2X16 = 8,
    HIP_RES_VIEW_FORMAT_UINT_4X16 = 9, HIP_RES_VIEW_FORMAT_SINT_1X16 = 10, HIP_RES_VIEW_FORMAT_SINT_2X16 = 11,
    HIP_RES_VIEW_FORMAT_SINT_4X16 = 12, HIP_RES_VIEW_FORMAT_UINT_1X32 = 13,
    HIP_RES_VIEW_FORMAT_UINT_2X32 = 14, HIP_RES_VIEW_FORMAT_UINT_4X32 = 15,
    HIP_RES_VIEW_FORMAT_SINT_1X32 = 16, HIP_RES_VIEW_FORMAT_SINT_2X32 = 17,
    HIP_RES_VIEW_FORMAT_SINT_4X32 = 18, HIP_RES_VIEW_FORMAT_FLOAT_1X16 = 19,
    HIP_RES_VIEW_FORMAT_FLOAT_2X16 = 20, HIP_RES_VIEW_FORMAT_FLOAT_4X16 = 21,
    HIP_RES_VIEW_FORMAT_FLOAT_1X32 = 22, HIP_RES_VIEW_FORMAT_FLOAT_2X32 = 23,
    HIP_RES_VIEW_FORMAT_FLOAT_4X32 = 24, HIP_RES_VIEW_FORMAT_UNSIGNED_BC1 = 25,
    HIP_RES_VIEW_FORMAT_UNSIGNED_BC2 = 26, HIP_RES_VIEW_FORMAT_UNSIGNED_BC3 = 27,
    HIP_RES_VIEW_FORMAT_UNSIGNED_BC4 = 28, HIP_RES_VIEW_FORMAT_SIGNED_BC4 = 29,
    HIP_RES_VIEW_FORMAT_UNSIGNED_BC5 = 30, HIP_RES_VIEW_FORMAT_SIGNED_BC5 = 31,
    HIP_RES_VIEW_FORMAT_UNSIGNED_BC6H = 32, HIP_RES_VIEW_FORMAT_SIGNED_BC6H = 33,
    HIP_RES_VIEW_FORMAT_UNSIGNED_BC7 = 34
} HIPresourceViewFormat;

typedef enum hipMemcpyKind {
    hipMemcpyHostToHost = 0, hipMemcpyHostToDevice = 1, hipMemcpyDeviceToHost = 2,
    hipMemcpyDeviceToDevice = 3, hipMemcpyDefault = 4, hipMemcpyDeviceToDeviceNoCU = 1024
} hipMemcpyKind;

typedef enum hipMemLocationType {
    hipMemLocationTypeInvalid = 0, hipMemLocationTypeNone = 0, hipMemLocationTypeDevice = 1,
    hipMemLocationTypeHost = 2, hipMemLocationTypeHostNuma = 3, hipMemLocationTypeHostNumaCurrent = 4
} hipMemLocationType;

typedef enum hipMemcpyFlags {
    hipMemcpyFlagDefault = 0, hipMemcpyFlagPreferOverlapWithCompute = 1, hipMemcpyFlagExtPreferCE = 256,
    hipMemcpyFlagExtOpSwap = 512, hipMemcpyFlagExtOpIndirectSrc = 1024, hipMemcpyFlagExtOpIndirectDst = 2048
} hipMemcpyFlags;

typedef enum hipMemcpySrcAccessOrder {
    hipMemcpySrcAccessOrderInvalid = 0, hipMemcpySrcAccessOrderStream = 1,
    hipMemcpySrcAccessOrderDuringApiCall = 2, hipMemcpySrcAccessOrderAny = 3,
    hipMemcpySrcAccessOrderMax = 0x7fffffff
} hipMemcpySrcAccessOrder;

typedef enum hipMemcpy3DOperandType {
    hipMemcpyOperandTypePointer = 1, hipMemcpyOperandTypeArray = 2, hipMemcpyOperandTypeMax = 0x7fffffff
} hipMemcpy3DOperandType;

typedef enum hipFunction_attribute {
    HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
    HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2, HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
    HIP_FUNC_ATTRIBUTE_NUM_REGS = 4, HIP_FUNC_ATTRIBUTE_PTX_VERSION = 5,
    HIP_FUNC_ATTRIBUTE_BINARY_VERSION = 6, HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA = 7,
    HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
    HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9, HIP_FUNC_ATTRIBUTE_CLUSTER_DIM_MUST_BE_SET = 10,
    HIP_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH = 11, HIP_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT = 12,
    HIP_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH = 13, HIP_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
    HIP_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 15, HIP_FUNC_ATTRIBUTE_MAX = 16
} hipFunction_attribute;

typedef enum hipPointer_attribute {
    HIP_POINTER_ATTRIBUTE_CONTEXT = 1, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
    HIP_POINTER_ATTRIBUTE_DEVICE_POINTER = 3, HIP_POINTER_ATTRIBUTE_HOST_POINTER = 4,
    HIP_POINTER_ATTRIBUTE_P2P_TOKENS = 5, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS = 6,
    HIP_POINTER_ATTRIBUTE_BUFFER_ID = 7, HIP_POINTER_ATTRIBUTE_IS_MANAGED = 8,
    HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9, HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE = 10,
    HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11, HIP_POINTER_ATTRIBUTE_RANGE_SIZE = 12,
    HIP_POINTER_ATTRIBUTE_MAPPED = 13, HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES = 14,
    HIP_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE = 15, HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS = 16,
    HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE = 17
} hipPointer_attribute;

typedef enum hipTextureAddressMode {
    hipAddressModeWrap = 0, hipAddressModeClamp = 1, hipAddressModeMirror = 2, hipAddressModeBorder = 3
} hipTextureAddressMode;

typedef enum hipTextureFilterMode {
    hipFilterModePoint = 0, hipFilterModeLinear = 1
} hipTextureFilterMode;

typedef enum hipTextureReadMode {
    hipReadModeElementType = 0, hipReadModeNormalizedFloat = 1
} hipTextureReadMode;

typedef enum hipSurfaceBoundaryMode {
    hipBoundaryModeZero = 0, hipBoundaryModeTrap = 1, hipBoundaryModeClamp = 2
} hipSurfaceBoundaryMode;

typedef enum hipDevResourceType {
    hipDevResourceTypeInvalid = 0, hipDevResourceTypeSm = 1, hipDevResourceTypeWorkqueueConfig = 1000,
    hipDevResourceTypeWorkqueue = 10000
} hipDevResourceType;

typedef enum hipDevSmResourceGroup_flags {
    hipDevSmResourceGroupDefault = 0, hipDevSmResourceGroupBackfill = 1
} hipDevSmResourceGroup_flags;

typedef enum hipDevSmResourceSplitByCount_flags {
    hipDevSmResourceSplitIgnoreSmCoscheduling = 1, hipDevSmResourceSplitMaxPotentialClusterSize = 2
} hipDevSmResourceSplitByCount_flags;

typedef enum hipDevWorkqueueConfigScope {
    hipDevWorkqueueConfigScopeDeviceCtx = 0, hipDevWorkqueueConfigScopeGreenCtxBalanced = 1
} hipDevWorkqueueConfigScope;

typedef enum hipDeviceP2PAttr {
    hipDevP2PAttrPerformanceRank = 0, hipDevP2PAttrAccessSupported = 1,
    hipDevP2PAttrNativeAtomicSupported = 2, hipDevP2PAttrHipArrayAccessSupported = 3
} hipDeviceP2PAttr;

typedef enum hipDriverEntryPointQueryResult {
    hipDriverEntryPointSuccess = 0, hipDriverEntryPointSymbolNotFound = 1,
    hipDriverEntryPointVersionNotSufficent = 2
} hipDriverEntryPointQueryResult;

typedef enum hipLimit_t {
    hipLimitStackSize = 0, hipLimitPrintfFifoSize = 1, hipLimitMallocHeapSize = 2,
    hipExtLimitScratchMin = 4096, hipExtLimitScratchMax = 4097, hipExtLimitScratchCurrent = 4098,
    hipLimitRange = 4099
} hipLimit_t;

typedef enum hipStreamBatchMemOpType {
    hipStreamMemOpWaitValue32 = 1, hipStreamMemOpWriteValue32 = 2, hipStreamMemOpWaitValue64 = 4,
    hipStreamMemOpWriteValue64 = 5, hipStreamMemOpBarrier = 6, hipStreamMemOpFlushRemoteWrites = 3
} hipStreamBatchMemOpType;

typedef enum hipMemoryAdvise {
    hipMemAdviseSetReadMostly = 1, hipMemAdviseUnsetReadMostly = 2, hipMemAdviseSetPreferredLocation = 3,
    hipMemAdviseUnsetPreferredLocation = 4, hipMemAdviseSetAccessedBy = 5, hipMemAdviseUnsetAccessedBy = 6,
    hipMemAdviseSetCoarseGrain = 100, hipMemAdviseUnsetCoarseGrain = 101
} hipMemoryAdvise;

typedef enum hipMemRangeCoherencyMode {
    hipMemRangeCoherencyModeFineGrain = 0, hipMemRangeCoherencyModeCoarseGrain = 1,
    hipMemRangeCoherencyModeIndeterminate = 2
} hipMemRangeCoherencyMode;

typedef enum hipMemRangeAttribute {
    hipMemRangeAttributeReadMostly = 1, hipMemRangeAttributePreferredLocation = 2,
    hipMemRangeAttributeAccessedBy = 3, hipMemRangeAttributeLastPrefetchLocation = 4,
    hipMemRangeAttributeCoherencyMode = 100
} hipMemRangeAttribute;

typedef enum hipMemPoolAttr {
    hipMemPoolReuseFollowEventDependencies = 1, hipMemPoolReuseAllowOpportunistic = 2,
    hipMemPoolReuseAllowInternalDependencies = 3, hipMemPoolAttrReleaseThreshold = 4,
    hipMemPoolAttrReservedMemCurrent = 5, hipMemPoolAttrReservedMemHigh = 6, hipMemPoolAttrUsedMemCurrent = 7,
    hipMemPoolAttrUsedMemHigh = 8
} hipMemPoolAttr;

typedef enum hipMemAccessFlags {
    hipMemAccessFlagsProtNone = 0, hipMemAccessFlagsProtRead = 1, hipMemAccessFlagsProtReadWrite = 3
} hipMemAccessFlags;

typedef enum hipMemAllocationType {
    hipMemAllocationTypeInvalid = 0, hipMemAllocationTypePinned = 1, hipMemAllocationTypeManaged = 2,
    hipMemAllocationTypeUncached = 0x40000000, hipMemAllocationTypeMax = 0x7fffffff
} hipMemAllocationType;

typedef enum hipMemAllocationHandleType {
    hipMemHandleTypeNone = 0, hipMemHandleTypePosixFileDescriptor = 1, hipMemHandleTypeWin32 = 2,
    hipMemHandleTypeWin32Kmt = 4, hipMemHandleTypeFabric = 8
} hipMemAllocationHandleType;

typedef enum hipFuncAttribute {
    hipFuncAttributeMaxDynamicSharedMemorySize = 8, hipFuncAttributePreferredSharedMemoryCarveout = 9,
    hipFuncAttributeClusterDimMustBeSet = 10, hipFuncAttributeRequiredClusterWidth = 11,
    hipFuncAttributeRequiredClusterHeight = 12, hipFuncAttributeRequiredClusterDepth = 13,
    hipFuncAttributeNonPortableClusterSizeAllowed = 14,
    hipFuncAttributeClusterSchedulingPolicyPreference = 15, hipFuncAttributeMax = 16
} hipFuncAttribute;

typedef enum hipFuncCache_t {
    hipFuncCachePreferNone = 0, hipFuncCachePreferShared = 1, hipFuncCachePreferL1 = 2,
    hipFuncCachePreferEqual = 3
} hipFuncCache_t;

typedef enum hipSharedMemConfig {
    hipSharedMemBankSizeDefault = 0, hipSharedMemBankSizeFourByte = 1, hipSharedMemBankSizeEightByte = 2
} hipSharedMemConfig;

typedef enum hipExternalMemoryHandleType_enum {
    hipExternalMemoryHandleTypeOpaqueFd = 1, hipExternalMemoryHandleTypeOpaqueWin32 = 2,
    hipExternalMemoryHandleTypeOpaqueWin32Kmt = 3, hipExternalMemoryHandleTypeD3D12Heap = 4,
    hipExternalMemoryHandleTypeD3D12Resource = 5, hipExternalMemoryHandleTypeD3D11Resource = 6,
    hipExternalMemoryHandleTypeD3D11ResourceKmt = 7, hipExternalMemoryHandleTypeNvSciBuf = 8
} hipExternalMemoryHandleType;

typedef enum hipExternalSemaphoreHandleType_enum {
    hipExternalSemaphoreHandleTypeOpaqueFd = 1, hipExternalSemaphoreHandleTypeOpaqueWin32 = 2,
    hipExternalSemaphoreHandleTypeOpaqueWin32Kmt = 3, hipExternalSemaphoreHandleTypeD3D12Fence = 4,
    hipExternalSemaphoreHandleTypeD3D11Fence = 5, hipExternalSemaphoreHandleTypeNvSciSync = 6,
    hipExternalSemaphoreHandleTypeKeyedMutex = 7, hipExternalSemaphoreHandleTypeKeyedMutexKmt = 8,
    hipExternalSemaphoreHandleTypeTimelineSemaphoreFd = 9,
    hipExternalSemaphoreHandleTypeTimelineSemaphoreWin32 = 10
} hipExternalSemaphoreHandleType;

typedef enum hipGraphicsRegisterFlags {
    hipGraphicsRegisterFlagsNone = 0, hipGraphicsRegisterFlagsReadOnly = 1,
    hipGraphicsRegisterFlagsWriteDiscard = 2, hipGraphicsRegisterFlagsSurfaceLoadStore = 4,
    hipGraphicsRegisterFlagsTextureGather = 8
} hipGraphicsRegisterFlags;

typedef enum hipMemAllocationGranularity_flags {
    hipMemAllocationGranularityMinimum = 0, hipMemAllocationGranularityRecommended = 1
} hipMemAllocationGranularity_flags;

typedef enum hipMemHandleType {
    hipMemHandleTypeGeneric = 0
} hipMemHandleType;

typedef enum hipMemOperationType {
    hipMemOperationTypeMap = 1, hipMemOperationTypeUnmap = 2
} hipMemOperationType;

typedef enum hipArraySparseSubresourceType {
    hipArraySparseSubresourceTypeSparseLevel = 0, hipArraySparseSubresourceTypeMiptail = 1
} hipArraySparseSubresourceType;

typedef enum hipMemRangeHandleType {
    hipMemRangeHandleTypeDmaBufFd = 1, hipMemRangeHandleTypeMax = 0x7fffffff
} hipMemRangeHandleType;

typedef enum hipMemRangeFlags {
    hipMemRangeFlagDmaBufMappingTypePcie = 1, hipMemRangeFlagsMax = 0x7fffffff
} hipMemRangeFlags;

#endif
