#include <hip/hip_runtime.h>
__global__ void count(int* total, int* parts) {
  atomicAdd_block(total, 1);
//^~~~~~~~~~~~~~~ warning atomic-scope
  atomicAdd_block(&parts[blockIdx.x], 1);
  __hip_atomic_fetch_add(total, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
//^~~~~~~~~~~~~~~~~~~~~~ warning atomic-scope
  __hip_atomic_fetch_add(total, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
