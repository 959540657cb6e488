#include <hip/hip_runtime.h>
__device__ void lock(int* mutex) {
  int expected = 0;
  while (!__hip_atomic_compare_exchange_strong(mutex, &expected, 1, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED,
//        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error spin-lock
                                               __HIP_MEMORY_SCOPE_AGENT)) {
    expected = 0;
  }
}
KOKKOS_INLINE_FUNCTION void kokkos_lock(int* mutex) {
  while (Kokkos::atomic_compare_exchange(mutex, 0, 1) != 0) {}
//               ^~~~~~~~~~~~~~~~~~~~~~~ error spin-lock
}
__device__ void flag(cuda::atomic_flag* f) {
  while (f->test_and_set()) {}
//          ^~~~~~~~~~~~ error spin-lock
}
__device__ unsigned maximum(unsigned* p, unsigned value) {
  unsigned old = *p;
  while (!__hip_atomic_compare_exchange_weak(p, &old, max(old, value), __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                             __HIP_MEMORY_SCOPE_AGENT)) {
  }
  return old;
}
