/* Part of softrock (MIT licence, see LICENSE). CUDA driver functions with device addresses. CUDA's CUdeviceptr is an integer, HIP's
 * address a pointer: arguments pass through __sr_cu, which turns one into the other and leaves everything else alone. */
#ifndef SOFTROCK_CUDA_DETAIL_DRIVER_POINTERS_H
#define SOFTROCK_CUDA_DETAIL_DRIVER_POINTERS_H

#include "hip/detail/api_functions.h"

typedef unsigned long long CUdeviceptr;
typedef CUdeviceptr CUdeviceptr_v1;
typedef CUdeviceptr CUdeviceptr_v2;

#if defined(__cplusplus)

/* An address or a number, whichever the function wants. */
struct __sr_cu_address {
    CUdeviceptr value;
    operator void *() const { return (void *)value; }
    operator unsigned long() const { return (unsigned long)value; }
};
static inline __sr_cu_address __sr_cu(CUdeviceptr value) { return __sr_cu_address{value}; }
static inline void **__sr_cu(CUdeviceptr *address) { return (void **)address; }
template <typename T> static inline T __sr_cu(T value) { return value; }

#define __SR_CU(cuda, hip) \
    template <typename... A> static inline hipError_t cuda(A... arguments) { return hip(__sr_cu(arguments)...); }
__SR_CU(cuExternalMemoryGetMappedBuffer, hipExternalMemoryGetMappedBuffer)
__SR_CU(cuGraphAddMemFreeNode, hipDrvGraphAddMemFreeNode)
__SR_CU(cuGraphMemFreeNodeGetParams, hipGraphMemFreeNodeGetParams)
__SR_CU(cuGraphicsResourceGetMappedPointer, hipGraphicsResourceGetMappedPointer)
__SR_CU(cuIpcCloseMemHandle, hipIpcCloseMemHandle)
__SR_CU(cuIpcGetMemHandle, hipIpcGetMemHandle)
__SR_CU(cuIpcOpenMemHandle, hipIpcOpenMemHandle)
__SR_CU(cuMemAddressFree, hipMemAddressFree)
__SR_CU(cuMemAddressReserve, hipMemAddressReserve)
__SR_CU(cuMemAdvise, hipMemAdvise)
__SR_CU(cuMemAlloc, hipMalloc)
__SR_CU(cuMemAllocAsync, hipMallocAsync)
__SR_CU(cuMemAllocFromPoolAsync, hipMallocFromPoolAsync)
__SR_CU(cuMemAllocManaged, hipMallocManaged)
__SR_CU(cuMemAllocPitch, hipMemAllocPitch)
__SR_CU(cuMemFree, hipFree)
__SR_CU(cuMemFreeAsync, hipFreeAsync)
__SR_CU(cuMemGetAccess, hipMemGetAccess)
__SR_CU(cuMemGetAddressRange, hipMemGetAddressRange)
__SR_CU(cuMemGetHandleForAddressRange, hipMemGetHandleForAddressRange)
__SR_CU(cuMemHostGetDevicePointer, hipHostGetDevicePointer)
__SR_CU(cuMemMap, hipMemMap)
__SR_CU(cuMemPoolExportPointer, hipMemPoolExportPointer)
__SR_CU(cuMemPoolImportPointer, hipMemPoolImportPointer)
__SR_CU(cuMemPrefetchAsync, hipMemPrefetchAsync)
__SR_CU(cuMemRangeGetAttribute, hipMemRangeGetAttribute)
__SR_CU(cuMemRangeGetAttributes, hipMemRangeGetAttributes)
__SR_CU(cuMemSetAccess, hipMemSetAccess)
__SR_CU(cuMemUnmap, hipMemUnmap)
__SR_CU(cuMemcpyAtoD, hipMemcpyAtoD)
__SR_CU(cuMemcpyDtoA, hipMemcpyDtoA)
__SR_CU(cuMemcpyDtoD, hipMemcpyDtoD)
__SR_CU(cuMemcpyDtoDAsync, hipMemcpyDtoDAsync)
__SR_CU(cuMemcpyDtoH, hipMemcpyDtoH)
__SR_CU(cuMemcpyDtoHAsync, hipMemcpyDtoHAsync)
__SR_CU(cuMemcpyHtoD, hipMemcpyHtoD)
__SR_CU(cuMemcpyHtoDAsync, hipMemcpyHtoDAsync)
__SR_CU(cuMemsetD16, hipMemsetD16)
__SR_CU(cuMemsetD16Async, hipMemsetD16Async)
__SR_CU(cuMemsetD2D16, hipMemsetD2D16)
__SR_CU(cuMemsetD2D16Async, hipMemsetD2D16Async)
__SR_CU(cuMemsetD2D32, hipMemsetD2D32)
__SR_CU(cuMemsetD2D32Async, hipMemsetD2D32Async)
__SR_CU(cuMemsetD2D8, hipMemsetD2D8)
__SR_CU(cuMemsetD2D8Async, hipMemsetD2D8Async)
__SR_CU(cuMemsetD32, hipMemsetD32)
__SR_CU(cuMemsetD32Async, hipMemsetD32Async)
__SR_CU(cuMemsetD8, hipMemsetD8)
__SR_CU(cuMemsetD8Async, hipMemsetD8Async)
__SR_CU(cuModuleGetGlobal, hipModuleGetGlobal)
__SR_CU(cuPointerGetAttribute, hipPointerGetAttribute)
__SR_CU(cuPointerGetAttributes, hipDrvPointerGetAttributes)
__SR_CU(cuPointerSetAttribute, hipPointerSetAttribute)
__SR_CU(cuStreamAttachMemAsync, hipStreamAttachMemAsync)
__SR_CU(cuStreamWaitValue32, hipStreamWaitValue32)
__SR_CU(cuStreamWaitValue64, hipStreamWaitValue64)
__SR_CU(cuStreamWriteValue32, hipStreamWriteValue32)
__SR_CU(cuStreamWriteValue64, hipStreamWriteValue64)
#undef __SR_CU

#define cuGraphicsResourceGetMappedPointer_v2 cuGraphicsResourceGetMappedPointer
#define cuMemAllocPitch_v2 cuMemAllocPitch
#define cuMemAlloc_v2 cuMemAlloc
#define cuMemFree_v2 cuMemFree
#define cuMemGetAddressRange_v2 cuMemGetAddressRange
#define cuMemHostGetDevicePointer_v2 cuMemHostGetDevicePointer
#define cuMemcpyAtoD_v2 cuMemcpyAtoD
#define cuMemcpyDtoA_v2 cuMemcpyDtoA
#define cuMemcpyDtoDAsync_v2 cuMemcpyDtoDAsync
#define cuMemcpyDtoD_v2 cuMemcpyDtoD
#define cuMemcpyDtoHAsync_v2 cuMemcpyDtoHAsync
#define cuMemcpyDtoH_v2 cuMemcpyDtoH
#define cuMemcpyHtoDAsync_v2 cuMemcpyHtoDAsync
#define cuMemcpyHtoD_v2 cuMemcpyHtoD
#define cuMemsetD16_v2 cuMemsetD16
#define cuMemsetD2D16_v2 cuMemsetD2D16
#define cuMemsetD2D32_v2 cuMemsetD2D32
#define cuMemsetD2D8_v2 cuMemsetD2D8
#define cuMemsetD32_v2 cuMemsetD32
#define cuMemsetD8_v2 cuMemsetD8
#define cuModuleGetGlobal_v2 cuModuleGetGlobal
#define cuStreamWaitValue32_v2 cuStreamWaitValue32
#define cuStreamWaitValue64_v2 cuStreamWaitValue64
#define cuStreamWriteValue32_v2 cuStreamWriteValue32
#define cuStreamWriteValue64_v2 cuStreamWriteValue64

#else /* C */

#define cuExternalMemoryGetMappedBuffer hipExternalMemoryGetMappedBuffer
#define cuGraphAddMemFreeNode hipDrvGraphAddMemFreeNode
#define cuGraphMemFreeNodeGetParams hipGraphMemFreeNodeGetParams
#define cuGraphicsResourceGetMappedPointer hipGraphicsResourceGetMappedPointer
#define cuIpcCloseMemHandle hipIpcCloseMemHandle
#define cuIpcGetMemHandle hipIpcGetMemHandle
#define cuIpcOpenMemHandle hipIpcOpenMemHandle
#define cuMemAddressFree hipMemAddressFree
#define cuMemAddressReserve hipMemAddressReserve
#define cuMemAdvise hipMemAdvise
#define cuMemAlloc hipMalloc
#define cuMemAllocAsync hipMallocAsync
#define cuMemAllocFromPoolAsync hipMallocFromPoolAsync
#define cuMemAllocManaged hipMallocManaged
#define cuMemAllocPitch hipMemAllocPitch
#define cuMemFree hipFree
#define cuMemFreeAsync hipFreeAsync
#define cuMemGetAccess hipMemGetAccess
#define cuMemGetAddressRange hipMemGetAddressRange
#define cuMemGetHandleForAddressRange hipMemGetHandleForAddressRange
#define cuMemHostGetDevicePointer hipHostGetDevicePointer
#define cuMemMap hipMemMap
#define cuMemPoolExportPointer hipMemPoolExportPointer
#define cuMemPoolImportPointer hipMemPoolImportPointer
#define cuMemPrefetchAsync hipMemPrefetchAsync
#define cuMemRangeGetAttribute hipMemRangeGetAttribute
#define cuMemRangeGetAttributes hipMemRangeGetAttributes
#define cuMemSetAccess hipMemSetAccess
#define cuMemUnmap hipMemUnmap
#define cuMemcpyAtoD hipMemcpyAtoD
#define cuMemcpyDtoA hipMemcpyDtoA
#define cuMemcpyDtoD hipMemcpyDtoD
#define cuMemcpyDtoDAsync hipMemcpyDtoDAsync
#define cuMemcpyDtoH hipMemcpyDtoH
#define cuMemcpyDtoHAsync hipMemcpyDtoHAsync
#define cuMemcpyHtoD hipMemcpyHtoD
#define cuMemcpyHtoDAsync hipMemcpyHtoDAsync
#define cuMemsetD16 hipMemsetD16
#define cuMemsetD16Async hipMemsetD16Async
#define cuMemsetD2D16 hipMemsetD2D16
#define cuMemsetD2D16Async hipMemsetD2D16Async
#define cuMemsetD2D32 hipMemsetD2D32
#define cuMemsetD2D32Async hipMemsetD2D32Async
#define cuMemsetD2D8 hipMemsetD2D8
#define cuMemsetD2D8Async hipMemsetD2D8Async
#define cuMemsetD32 hipMemsetD32
#define cuMemsetD32Async hipMemsetD32Async
#define cuMemsetD8 hipMemsetD8
#define cuMemsetD8Async hipMemsetD8Async
#define cuModuleGetGlobal hipModuleGetGlobal
#define cuPointerGetAttribute hipPointerGetAttribute
#define cuPointerGetAttributes hipDrvPointerGetAttributes
#define cuPointerSetAttribute hipPointerSetAttribute
#define cuStreamAttachMemAsync hipStreamAttachMemAsync
#define cuStreamWaitValue32 hipStreamWaitValue32
#define cuStreamWaitValue64 hipStreamWaitValue64
#define cuStreamWriteValue32 hipStreamWriteValue32
#define cuStreamWriteValue64 hipStreamWriteValue64

#endif
#endif
