/* Part of softrock (MIT licence, see LICENSE). Graphs, stream capture, launches, libraries and just-in-time options.
 * Names and numeric values follow the documented HIP 7 runtime API and were checked against AMD's public
 * Python bindings of it. */
#ifndef SOFTROCK_HIP_API_ENUMS_GRAPH_H
#define SOFTROCK_HIP_API_ENUMS_GRAPH_H

typedef enum hipJitOption {
    hipJitOptionMaxRegisters = 0, hipJitOptionThreadsPerBlock = 1, hipJitOptionWallTime = 2,
    hipJitOptionInfoLogBuffer = 3, hipJitOptionInfoLogBufferSizeBytes = 4, hipJitOptionErrorLogBuffer = 5,
    hipJitOptionErrorLogBufferSizeBytes = 6, hipJitOptionOptimizationLevel = 7,
    hipJitOptionTargetFromContext = 8, hipJitOptionTarget = 9, hipJitOptionFallbackStrategy = 10,
    hipJitOptionGenerateDebugInfo = 11, hipJitOptionLogVerbose = 12, hipJitOptionGenerateLineInfo = 13,
    hipJitOptionCacheMode = 14, hipJitOptionSm3xOpt = 15, hipJitOptionFastCompile = 16,
    hipJitOptionGlobalSymbolNames = 17, hipJitOptionGlobalSymbolAddresses = 18,
    hipJitOptionGlobalSymbolCount = 19, hipJitOptionLto = 20, hipJitOptionFtz = 21, hipJitOptionPrecDiv = 22,
    hipJitOptionPrecSqrt = 23, hipJitOptionFma = 24, hipJitOptionPositionIndependentCode = 25,
    hipJitOptionMinCTAPerSM = 26, hipJitOptionMaxThreadsPerBlock = 27,
    hipJitOptionOverrideDirectiveValues = 28, hipJitOptionNumOptions = 29, hipJitOptionIRtoISAOptExt = 10000,
    hipJitOptionIRtoISAOptCountExt = 10001
} hipJitOption;

typedef enum hipJitInputType {
    hipJitInputCubin = 0, hipJitInputPtx = 1, hipJitInputFatBinary = 2, hipJitInputObject = 3,
    hipJitInputLibrary = 4, hipJitInputNvvm = 5, hipJitNumLegacyInputTypes = 6, hipJitInputLLVMBitcode = 100,
    hipJitInputLLVMBundledBitcode = 101, hipJitInputLLVMArchivesOfBundledBitcode = 102,
    hipJitInputSpirv = 103, hipJitNumInputTypes = 10
} hipJitInputType;

typedef enum hipJitCacheMode {
    hipJitCacheOptionNone = 0, hipJitCacheOptionCG = 1, hipJitCacheOptionCA = 2
} hipJitCacheMode;

typedef enum hipJitFallback {
    hipJitPreferPTX = 0, hipJitPreferBinary = 1
} hipJitFallback;

typedef enum hipLibraryOption_e {
    hipLibraryHostUniversalFunctionAndDataTable = 0, hipLibraryBinaryIsPreserved = 1
} hipLibraryOption;

typedef enum hipGraphNodeType {
    hipGraphNodeTypeKernel = 0, hipGraphNodeTypeMemcpy = 1, hipGraphNodeTypeMemset = 2,
    hipGraphNodeTypeHost = 3, hipGraphNodeTypeGraph = 4, hipGraphNodeTypeEmpty = 5,
    hipGraphNodeTypeWaitEvent = 6, hipGraphNodeTypeEventRecord = 7, hipGraphNodeTypeExtSemaphoreSignal = 8,
    hipGraphNodeTypeExtSemaphoreWait = 9, hipGraphNodeTypeMemAlloc = 10, hipGraphNodeTypeMemFree = 11,
    hipGraphNodeTypeMemcpyFromSymbol = 12, hipGraphNodeTypeMemcpyToSymbol = 13,
    hipGraphNodeTypeBatchMemOp = 14, hipGraphNodeTypeCount = 15
} hipGraphNodeType;

typedef enum hipAccessProperty {
    hipAccessPropertyNormal = 0, hipAccessPropertyStreaming = 1, hipAccessPropertyPersisting = 2
} hipAccessProperty;

typedef enum hipLaunchMemSyncDomain {
    hipLaunchMemSyncDomainDefault = 0, hipLaunchMemSyncDomainRemote = 1
} hipLaunchMemSyncDomain;

typedef enum hipSynchronizationPolicy {
    hipSyncPolicyAuto = 1, hipSyncPolicySpin = 2, hipSyncPolicyYield = 3, hipSyncPolicyBlockingSync = 4
} hipSynchronizationPolicy;

typedef enum hipClusterSchedulingPolicy {
    hipClusterSchedulingPolicyDefault = 0, hipClusterSchedulingPolicySpread = 1,
    hipClusterSchedulingPolicyLoadBalancing = 2
} hipClusterSchedulingPolicy;

typedef enum hipExtDynDataPrefetchTemporal {
    hipExtDynDataPrefetchTemporalRegular = 0, hipExtDynDataPrefetchTemporalHigh = 1
} hipExtDynDataPrefetchTemporal;

typedef enum hipLaunchAttributeID {
    hipLaunchAttributeIgnore = 0, hipLaunchAttributeAccessPolicyWindow = 1, hipLaunchAttributeCooperative = 2,
    hipLaunchAttributeSynchronizationPolicy = 3, hipLaunchAttributeClusterDimension = 4,
    hipLaunchAttributeClusterSchedulingPolicyPreference = 5, hipLaunchAttributePriority = 8,
    hipLaunchAttributeMemSyncDomainMap = 9, hipLaunchAttributeMemSyncDomain = 10,
    hipLaunchAttributeExtDynDataPrefetch = 1024, hipLaunchAttributeMax = 1025
} hipLaunchAttributeID;

typedef enum hipGraphExecUpdateResult {
    hipGraphExecUpdateSuccess = 0, hipGraphExecUpdateError = 1, hipGraphExecUpdateErrorTopologyChanged = 2,
    hipGraphExecUpdateErrorNodeTypeChanged = 3, hipGraphExecUpdateErrorFunctionChanged = 4,
    hipGraphExecUpdateErrorParametersChanged = 5, hipGraphExecUpdateErrorNotSupported = 6,
    hipGraphExecUpdateErrorUnsupportedFunctionChange = 7
} hipGraphExecUpdateResult;

typedef enum hipStreamCaptureMode {
    hipStreamCaptureModeGlobal = 0, hipStreamCaptureModeThreadLocal = 1, hipStreamCaptureModeRelaxed = 2
} hipStreamCaptureMode;

typedef enum hipStreamCaptureStatus {
    hipStreamCaptureStatusNone = 0, hipStreamCaptureStatusActive = 1, hipStreamCaptureStatusInvalidated = 2
} hipStreamCaptureStatus;

typedef enum hipStreamUpdateCaptureDependenciesFlags {
    hipStreamAddCaptureDependencies = 0, hipStreamSetCaptureDependencies = 1
} hipStreamUpdateCaptureDependenciesFlags;

typedef enum hipGraphMemAttributeType {
    hipGraphMemAttrUsedMemCurrent = 0, hipGraphMemAttrUsedMemHigh = 1, hipGraphMemAttrReservedMemCurrent = 2,
    hipGraphMemAttrReservedMemHigh = 3
} hipGraphMemAttributeType;

typedef enum hipUserObjectFlags {
    hipUserObjectNoDestructorSync = 1
} hipUserObjectFlags;

typedef enum hipUserObjectRetainFlags {
    hipGraphUserObjectMove = 1
} hipUserObjectRetainFlags;

typedef enum hipGraphInstantiateFlags {
    hipGraphInstantiateFlagAutoFreeOnLaunch = 1, hipGraphInstantiateFlagUpload = 2,
    hipGraphInstantiateFlagDeviceLaunch = 4, hipGraphInstantiateFlagUseNodePriority = 8
} hipGraphInstantiateFlags;

typedef enum hipGraphDebugDotFlags {
    hipGraphDebugDotFlagsVerbose = 1, hipGraphDebugDotFlagsKernelNodeParams = 4,
    hipGraphDebugDotFlagsMemcpyNodeParams = 8, hipGraphDebugDotFlagsMemsetNodeParams = 16,
    hipGraphDebugDotFlagsHostNodeParams = 32, hipGraphDebugDotFlagsEventNodeParams = 64,
    hipGraphDebugDotFlagsExtSemasSignalNodeParams = 128, hipGraphDebugDotFlagsExtSemasWaitNodeParams = 256,
    hipGraphDebugDotFlagsKernelNodeAttributes = 512, hipGraphDebugDotFlagsHandles = 1024
} hipGraphDebugDotFlags;

typedef enum hipGraphInstantiateResult {
    hipGraphInstantiateSuccess = 0, hipGraphInstantiateError = 1, hipGraphInstantiateInvalidStructure = 2,
    hipGraphInstantiateNodeOperationNotSupported = 3, hipGraphInstantiateMultipleDevicesNotSupported = 4
} hipGraphInstantiateResult;

typedef enum hipGraphDependencyType {
    hipGraphDependencyTypeDefault = 0, hipGraphDependencyTypeProgrammatic = 1
} hipGraphDependencyType;

typedef enum hipDataType {
    HIP_R_32F = 0, HIP_R_64F = 1, HIP_R_16F = 2, HIP_R_8I = 3, HIP_C_32F = 4, HIP_C_64F = 5, HIP_C_16F = 6,
    HIP_C_8I = 7, HIP_R_8U = 8, HIP_C_8U = 9, HIP_R_32I = 10, HIP_C_32I = 11, HIP_R_32U = 12, HIP_C_32U = 13,
    HIP_R_16BF = 14, HIP_C_16BF = 15, HIP_R_4I = 16, HIP_C_4I = 17, HIP_R_4U = 18, HIP_C_4U = 19,
    HIP_R_16I = 20, HIP_C_16I = 21, HIP_R_16U = 22, HIP_C_16U = 23, HIP_R_64I = 24, HIP_C_64I = 25,
    HIP_R_64U = 26, HIP_C_64U = 27, HIP_R_8F_E4M3 = 28, HIP_R_8F_E5M2 = 29, HIP_R_8F_UE8M0 = 30,
    HIP_R_6F_E2M3 = 31, HIP_R_6F_E3M2 = 32, HIP_R_4F_E2M1 = 33, HIP_R_8F_E4M3_FNUZ = 1000,
    HIP_R_8F_E5M2_FNUZ = 1001
} hipDataType;

typedef enum hipLibraryPropertyType {
    HIP_LIBRARY_MAJOR_VERSION = 0, HIP_LIBRARY_MINOR_VERSION = 1, HIP_LIBRARY_PATCH_LEVEL = 2
} hipLibraryPropertyType;

#endif
