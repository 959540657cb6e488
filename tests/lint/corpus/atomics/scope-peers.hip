#include <hip/hip_runtime.h>
__global__ void push(int* theirs, int* ready) {
  atomicAdd(theirs, 1);
//^~~~~~~~~ note atomic-scope
  atomicAdd_system(theirs, 1);
  __hip_atomic_store(ready, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
//^~~~~~~~~~~~~~~~~~ note atomic-scope
  __hip_atomic_store(ready, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
}
void run(int* theirs, int* ready) {
  (void)hipDeviceEnablePeerAccess(1, 0);
  push<<<1, 64>>>(theirs, ready);
}
