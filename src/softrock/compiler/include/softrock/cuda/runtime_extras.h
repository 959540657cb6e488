/* Part of softrock (MIT licence, see LICENSE). What CUDA's runtime names and HIP's has no word for: error codes with CUDA's
 * values, which no call here returns, and settings that have nothing to set. */
#ifndef SOFTROCK_CUDA_DETAIL_RUNTIME_EXTRAS_H
#define SOFTROCK_CUDA_DETAIL_RUNTIME_EXTRAS_H

#include "hip/detail/api_functions.h"

#define cudaErrorInvalidHostPointer ((hipError_t)16)
#define cudaErrorInvalidTextureBinding ((hipError_t)19)
#define cudaErrorInvalidFilterSetting ((hipError_t)26)
#define cudaErrorInvalidNormSetting ((hipError_t)27)
#define cudaErrorDuplicateVariableName ((hipError_t)43)
#define cudaErrorDuplicateTextureName ((hipError_t)44)
#define cudaErrorDuplicateSurfaceName ((hipError_t)45)
#define cudaErrorDevicesUnavailable ((hipError_t)46)
#define cudaErrorTextureNotBound ((hipError_t)59)
#define cudaErrorLaunchMaxDepthExceeded ((hipError_t)65)
#define cudaErrorSyncDepthExceeded ((hipError_t)68)
#define cudaErrorLaunchPendingCountExceeded ((hipError_t)69)
#define cudaErrorStartupFailure ((hipError_t)127)
#define cudaErrorNvlinkUncorrectable ((hipError_t)220)
#define cudaErrorJitCompilerNotFound ((hipError_t)221)
#define cudaErrorHardwareStackError ((hipError_t)714)
#define cudaErrorIllegalInstruction ((hipError_t)715)
#define cudaErrorMisalignedAddress ((hipError_t)716)
#define cudaErrorInvalidAddressSpace ((hipError_t)717)
#define cudaErrorInvalidPc ((hipError_t)718)
#define cudaErrorNotPermitted ((hipError_t)800)
#define cudaErrorSystemNotReady ((hipError_t)802)
#define cudaErrorSystemDriverMismatch ((hipError_t)803)
#define cudaErrorTimeout ((hipError_t)909)
#define cudaErrorApiFailureBase 10000

enum cudaSharedCarveout {
    cudaSharedmemCarveoutDefault = -1, cudaSharedmemCarveoutMaxL1 = 0, cudaSharedmemCarveoutMaxShared = 100
};
#define cudaLimitDevRuntimeSyncDepth ((hipLimit_t)3)
#define cudaLimitDevRuntimePendingLaunchCount ((hipLimit_t)4)
#define cudaLimitMaxL2FetchGranularity ((hipLimit_t)5)
#define cudaLimitPersistingL2CacheSize ((hipLimit_t)6)

/* No L2 lines persist, so there are none to reset. */
static inline hipError_t cudaCtxResetPersistingL2Cache(void) { return hipSuccess; }
static inline hipError_t cudaDeviceFlushGPUDirectRDMAWrites(int target, int scope) {
    return (void)target, (void)scope, hipSuccess;
}
#define cudaDevAttrMaxBlocksPerMultiprocessor hipDeviceAttributeMaxBlocksPerMultiProcessor
#define cudaLaunchAttributeClusterDimension hipLaunchAttributeClusterDimension

#endif
