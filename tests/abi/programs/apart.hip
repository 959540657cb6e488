// Two files, -fgpu-rdc: a variable of the other file exists once, whichever file's kernel or host code uses it.
#include <hip/hip_runtime.h>

#include <cstdio>

extern __device__ int shared_value;
__device__ int twice(int x);
int twice_on_device(int x);

__global__ void here(int *out) { *out = twice(shared_value); }

int main() {
    int changed = 7, *out;
    if (hipMemcpyToSymbol(HIP_SYMBOL(shared_value), &changed, sizeof changed) != hipSuccess) return 2;
    if (hipMallocManaged((void **)&out, sizeof *out) != hipSuccess) return 3;
    here<<<1, 1>>>(out);
    if (hipDeviceSynchronize() != hipSuccess) return 4;
    std::printf("%d %d\n", *out, twice_on_device(100));
}
