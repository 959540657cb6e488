#include <hip/hip_runtime.h>
__global__ void both(int* flag) {
  __hip_atomic_store(flag, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
//^~~~~~~~~~~~~~~~~~ warning atomic-scope
  __hip_atomic_store(flag, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
}
void run() {
  int* flag;
  (void)hipHostMalloc(&flag, 4);
  both<<<1, 1>>>(flag);
  while (flag[0] == 0) {}
}
