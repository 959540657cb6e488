#include <stdio.h>
#include <string.h>
#include "hip/detail/api_functions.h"
int main(void) {
    int n = -1, device = -1; void *p = 0, *f = 0; hipEvent_t e; char name[8];
    printf("%d", hipInit(0)); printf(" %d", hipGetDeviceCount(&n)); printf(" %d\n", n);
    printf("%s %s\n", hipGetErrorName(hipErrorInvalidValue), hipGetErrorString(hipErrorNotReady));
    printf("%d %d\n", hipMalloc(0, 4), hipSetDevice(77));
    printf("%d", hipPeekAtLastError() != hipSuccess);
    printf(" %d", hipGetLastError() != hipSuccess);
    printf(" %d\n", hipGetLastError());
    printf("%d", hipGetDevice(&device)); printf(" %d\n", device);
    printf("%d\n", hipDeviceGetName(name, 8, 0)); printf("%s\n", name);
    printf("%s\n", hipGetErrorName(hipIpcGetMemHandle(0, p)));
    printf("%s\n", hipGetErrorName(hipIpcGetMemHandle(0, p)));
    printf("%s\n", hipGetErrorName(hipMemAddressReserve(&p, 4096, 0, 0, 0)));
    printf("%d", hipGetProcAddress("hipMalloc", &f, 700, 0, 0)); printf(" %d\n", f == (void *)hipMalloc);
    printf("%d", hipGetProcAddress("hipNothing", &f, 700, 0, 0)); printf(" %d\n", f == 0);
    printf("%d", hipGetProcAddress("hipGetDeviceProperties", &f, 700, 0, 0));
    printf(" %d\n", f == (void *)hipGetDevicePropertiesR0600);
    printf("%d\n", hipEventRecord((hipEvent_t)1234, 0));
    printf("%d", hipEventCreate(&e)); printf(" %d\n", hipEventQuery(e));
    dim3 g = {2, 3, 4}, b = {5, 6, 7}, g2, b2; size_t s; hipStream_t q;
    __hipPushCallConfiguration(g, b, 99, (hipStream_t)5); __hipPopCallConfiguration(&g2, &b2, &s, &q);
    printf("%d %d %d %d\n", g2.z, b2.x, (int)s, (int)(long)q);
    printf("%d\n", __hipPopCallConfiguration(&g2, &b2, &s, &q));
    hipChannelFormatDesc d = hipCreateChannelDesc(8, 16, 0, 0, hipChannelFormatKindFloat);
    printf("%d %d %d\n", d.x, d.y, (int)d.f);
    return 0;
}
