#include <hip/hip_runtime.h>
__global__ void sum(double* a, double* b) {
  unsafeAtomicAdd(&a[threadIdx.x], 1.0);
//^~~~~~~~~~~~~~~ error float-atomic-fine-grained
  atomicAdd(b, 1.0);
//^~~~~~~~~ warning float-atomic-fine-grained
}
void run() {
  double *a, *b, *c, *mapped;
  (void)hipExtMallocWithFlags((void**)&a, 8, hipDeviceMallocFinegrained);
  (void)hipExtMallocWithFlags((void**)&c, 8, hipDeviceMallocDefault);
  (void)hipHostMalloc(&b, 8);
  (void)hipHostGetDevicePointer((void**)&mapped, b, 0);
  hipLaunchKernelGGL(sum, dim3(1), dim3(64), 0, 0, a, mapped);
  sum<<<1, 64>>>(c, c);
}
