#include <stdio.h>
#include <stdlib.h>
#include "hip/hiprtc.h"
static char *bitcode(const char *source, size_t *size) {
    hiprtcProgram p;
    const char *options[] = {"-fgpu-rdc"};
    hiprtcCreateProgram(&p, source, "part.hip", 0, 0, 0);
    if (hiprtcCompileProgram(p, 1, options)) return 0;
    hiprtcGetBitcodeSize(p, size);
    char *data = malloc(*size);
    hiprtcGetBitcode(p, data);
    printf("%d\n", hiprtcGetCodeSize(p, size) != HIPRTC_SUCCESS);
    hiprtcGetBitcodeSize(p, size);
    hiprtcDestroyProgram(&p);
    return data;
}
int main(void) {
    size_t a_size, b_size, size;
    char *a = bitcode("extern __device__ int twice(int); extern \"C\" __global__ void k(int *p) { p[threadIdx.x] = twice(threadIdx.x); }", &a_size);
    char *b = bitcode("__device__ int twice(int x) { return 2 * x; }", &b_size);
    hiprtcLinkState link;
    void *code;
    printf("%d", hiprtcLinkCreate(0, 0, 0, &link));
    printf(" %d", hiprtcLinkAddData(link, HIPRTC_JIT_INPUT_LLVM_BITCODE, a, a_size, "a", 0, 0, 0));
    printf(" %d", hiprtcLinkComplete(link, &code, &size) == HIPRTC_ERROR_LINKING);
    printf(" %d", hiprtcLinkAddData(link, HIPRTC_JIT_INPUT_LLVM_BITCODE, b, b_size, "b", 0, 0, 0));
    printf(" %d\n", hiprtcLinkComplete(link, &code, &size));
    hipModule_t module;
    hipFunction_t function;
    printf("%d", hipModuleLoadData(&module, code));
    printf(" %d\n", hipModuleGetFunction(&function, module, "k"));
    int host[64];
    void *p;
    hipMalloc(&p, 256);
    void *arguments[] = {&p};
    printf("%d ", hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, 0, arguments, 0));
    hipMemcpy(host, p, 256, hipMemcpyDeviceToHost);
    printf("%d\n", host[21]);
    printf("%d", hiprtcLinkDestroy(link));
    printf(" %d\n", hiprtcLinkDestroy(link) == HIPRTC_ERROR_INVALID_INPUT);
    hipLinkState_t other;
    printf("%d", hipLinkCreate(0, 0, 0, &other));
    printf(" %d", hipLinkAddData(other, hipJitInputPtx, "x", 1, 0, 0, 0, 0) == hipErrorInvalidValue);
    printf(" %d\n", hipLinkDestroy(other));
    return 0;
}
