#include <stdio.h>
#include <stdlib.h>
#include "hip/hiprtc.h"
static const char *source = "#include \"own.h\"\ntemplate<typename T> __global__ void scale(T *p, T a, int n) {"
    " int i = blockIdx.x * blockDim.x + threadIdx.x;"
    " if (i < n) p[i] = OWN(p[i], a); }\n__device__ int total = 5;";
int main(void) {
    hiprtcProgram p;
    int major, minor;
    const char *headers[] = {"#define OWN(x, y) ((x) * (y))"}, *names[] = {"own.h"};
    printf("%d", hiprtcVersion(&major, &minor)); printf(" %d\n", major >= 7);
    printf("%d\n", hiprtcCreateProgram(&p, source, "scale.hip", 1, headers, names));
    printf("%d %d\n", hiprtcAddNameExpression(p, "scale<float>"), hiprtcAddNameExpression(p, "&total"));
    const char *options[] = {"-O3", "-DX=1"}, *kernel = 0, *global = 0; size_t size;
    printf("%d\n", hiprtcGetLoweredName(p, "scale<float>", &kernel));
    printf("%d\n", hiprtcCompileProgram(p, 2, options));
    printf("%d %d\n", hiprtcGetLoweredName(p, "scale<float>", &kernel), hiprtcGetLoweredName(p, "&total", &global));
    printf("%s %s\n", kernel, global);
    hiprtcGetCodeSize(p, &size); char *code = malloc(size); hiprtcGetCode(p, code);
    hipModule_t module;
    hipFunction_t function;
    printf("%d", hipModuleLoadData(&module, code));
    printf(" %d\n", hipModuleGetFunction(&function, module, kernel));
    float host[100], a = 2.5f; int n = 100; for (int i = 0; i < n; i++) host[i] = i;
    void *d;
    hipMalloc(&d, 400);
    hipMemcpy(d, host, 400, hipMemcpyHostToDevice);
    void *arguments[] = {&d, &a, &n};
    for (int i = 0; i < 2; i++) printf("%d ", hipModuleLaunchKernel(function, 2, 1, 1, 64, 1, 1, 0, 0, arguments, 0));
    hipMemcpy(host, d, 400, hipMemcpyDeviceToHost); printf("%g %g\n", host[1], host[99]);
    void *address;
    printf("%d", hipModuleGetGlobal(&address, &size, module, global));
    printf(" %d\n", (int)size);
    printf("%d", hipModuleGetFunction(&function, module, "none")); printf(" %d\n", hipModuleUnload(module));
    printf("%d\n", hiprtcDestroyProgram(&p));
    hiprtcCreateProgram(&p, "__global__ void f() { oops; }", "bad.hip", 0, 0, 0);
    printf("%s\n", hiprtcGetErrorString(hiprtcCompileProgram(p, 0, 0)));
    hiprtcGetProgramLogSize(p, &size);
    char *log = malloc(size);
    hiprtcGetProgramLog(p, log);
    printf("%s", log);
    printf("%d\n", hiprtcGetCodeSize(p, &size));
    return 0;
}
