#include <hip/hip_runtime.h>
#define LOCKED 1
#define UNLOCKED 0
__global__ void add(int* mutex, float* sum) {
  int old;
  do {
    old = atomicCAS(&mutex[blockIdx.x], UNLOCKED, LOCKED);
//        ^~~~~~~~~ error spin-lock
  } while (old != UNLOCKED);
  *sum += 1.0f;
  mutex[blockIdx.x] = UNLOCKED;
}
