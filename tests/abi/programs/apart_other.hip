#include <hip/hip_runtime.h>

__device__ int shared_value = 5;
__device__ int twice(int x) { return 2 * x; }

__global__ void there(int *out) { *out = twice(*out) + shared_value; }

int twice_on_device(int x) {
    int *out;
    if (hipMallocManaged((void **)&out, sizeof *out) != hipSuccess) return -1;
    *out = x;
    there<<<1, 1>>>(out);
    return hipDeviceSynchronize() == hipSuccess ? *out : -2;
}
