/* Part of softrock (MIT licence, see LICENSE). Run-time compilation under CUDA's names. What comes out is a code object for an AMD GPU: it is neither PTX nor a cubin,
 * but the calls that fetch those fetch it, and cuModuleLoadData takes it. */
#ifndef SOFTROCK_CUDA_NVRTC_H
#define SOFTROCK_CUDA_NVRTC_H

#include "hip/hiprtc.h"

#define NVRTC_SUCCESS HIPRTC_SUCCESS
#define NVRTC_ERROR_OUT_OF_MEMORY HIPRTC_ERROR_OUT_OF_MEMORY
#define NVRTC_ERROR_PROGRAM_CREATION_FAILURE HIPRTC_ERROR_PROGRAM_CREATION_FAILURE
#define NVRTC_ERROR_INVALID_INPUT HIPRTC_ERROR_INVALID_INPUT
#define NVRTC_ERROR_INVALID_PROGRAM HIPRTC_ERROR_INVALID_PROGRAM
#define NVRTC_ERROR_INVALID_OPTION HIPRTC_ERROR_INVALID_OPTION
#define NVRTC_ERROR_COMPILATION HIPRTC_ERROR_COMPILATION
#define NVRTC_ERROR_BUILTIN_OPERATION_FAILURE HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE
#define NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION
#define NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION
#define NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID
#define NVRTC_ERROR_INTERNAL_ERROR HIPRTC_ERROR_INTERNAL_ERROR
#define nvrtcResult hiprtcResult
#define nvrtcProgram hiprtcProgram
#define nvrtcGetErrorString hiprtcGetErrorString
#define nvrtcVersion hiprtcVersion
#define nvrtcAddNameExpression hiprtcAddNameExpression
#define nvrtcCompileProgram hiprtcCompileProgram
#define nvrtcCreateProgram hiprtcCreateProgram
#define nvrtcDestroyProgram hiprtcDestroyProgram
#define nvrtcGetLoweredName hiprtcGetLoweredName
#define nvrtcGetProgramLog hiprtcGetProgramLog
#define nvrtcGetProgramLogSize hiprtcGetProgramLogSize
#define nvrtcGetPTX hiprtcGetCode
#define nvrtcGetPTXSize hiprtcGetCodeSize
#define nvrtcGetCUBIN hiprtcGetCode
#define nvrtcGetCUBINSize hiprtcGetCodeSize

#endif
