/* Part of softrock (MIT licence, see LICENSE). AMD extensions that hip_ext.h adds to the runtime API. */
#ifndef SOFTROCK_HIP_API_EXTENSIONS_H
#define SOFTROCK_HIP_API_EXTENSIONS_H

#include "hip/detail/api_functions.h"

#ifdef __cplusplus
extern "C" {
#endif
/* Sizes are threads, not blocks, in these two. */
hipError_t hipExtModuleLaunchKernel(hipFunction_t f, uint32_t globalWorkSizeX, uint32_t globalWorkSizeY, uint32_t globalWorkSizeZ, uint32_t localWorkSizeX, uint32_t localWorkSizeY, uint32_t localWorkSizeZ, size_t sharedMemBytes, hipStream_t hStream, void **kernelParams, void **extra, hipEvent_t startEvent __SR_DEFAULT(0), hipEvent_t stopEvent __SR_DEFAULT(0), uint32_t flags __SR_DEFAULT(0));
hipError_t hipHccModuleLaunchKernel(hipFunction_t f, uint32_t globalWorkSizeX, uint32_t globalWorkSizeY, uint32_t globalWorkSizeZ, uint32_t localWorkSizeX, uint32_t localWorkSizeY, uint32_t localWorkSizeZ, size_t sharedMemBytes, hipStream_t hStream, void **kernelParams, void **extra, hipEvent_t startEvent __SR_DEFAULT(0), hipEvent_t stopEvent __SR_DEFAULT(0));
#ifdef __cplusplus
}
#endif

#endif
