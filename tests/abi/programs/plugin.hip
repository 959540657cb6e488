// A library with a kernel, loaded and closed again and again by the test's program.
#include <hip/hip_runtime.h>
#ifndef VALUE
#define VALUE 1
#endif
__global__ void write(int *p) { p[threadIdx.x] = VALUE; }
extern "C" int run(int *p) {
    for (int i = 0; i < 3; i++) write<<<1, 64>>>(p);
    return (int)hipDeviceSynchronize();
}
