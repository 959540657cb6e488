// Does what its first argument says and returns 0 whatever happens: the runtime must not let that pass.
#include <hip/hip_runtime.h>
#include <cassert>
#include <cstdio>
#include <cstring>

__global__ void store(int *p) { p[threadIdx.x] = 1; }
__global__ void check(int value) { assert(value == 3); }
__global__ void trap() { __trap(); }
__global__ void spin(volatile int *p) { while (*p == 0) {} }
__global__ void say(int n) { printf("block %d thread %d says %d\n", (int)blockIdx.x, (int)threadIdx.x, n); }
struct Late {
    int *memory = nullptr;
    ~Late() { (void)hipFree(memory); }
};
static Late late;

__device__ __attribute__((noinline)) int deep(int n, volatile int *p) {
    volatile int local[32];
    local[n & 31] = n;
    return p[1] ? n : deep(n + 1, p) + local[n & 31];
}
__global__ void recurse(int *p) { p[0] = deep(0, p); }

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    int *p = nullptr;
    hipMalloc(&late.memory, 64);
    hipMemset(late.memory, 0, 64);
    if (!std::strcmp(what, "null")) store<<<1, 64>>>(p);
    if (!std::strcmp(what, "recurse")) recurse<<<1, 64>>>(late.memory);
    if (!std::strcmp(what, "assert")) check<<<1, 64>>>(4);
    if (!std::strcmp(what, "trap")) trap<<<1, 64>>>();
    if (!std::strcmp(what, "threads")) store<<<1, 2048>>>(late.memory);
    if (!std::strcmp(what, "lds")) store<<<1, 16, 1 << 20>>>(late.memory);
    if (!std::strcmp(what, "spin")) spin<<<2, 64>>>(late.memory);
    if (!std::strcmp(what, "flood")) say<<<100, 600>>>(7);
    if (!std::strcmp(what, "say")) {
        std::printf("before\n");
        say<<<2, 2>>>(7);
        hipDeviceSynchronize();
        std::printf("between\n");
        say<<<1, 1>>>(8);
    }
    std::printf("sync: %s\n", hipGetErrorName(hipDeviceSynchronize()));
    if (!std::strcmp(what, "say")) std::printf("after\n");
    std::fflush(stdout);
    if (!std::strcmp(what, "leave")) spin<<<1, 64>>>(late.memory);
    return 0;
}
