__device__ void lock(int* mutex) {
  while (atomicCAS(mutex, 0, 1) != 0) {
//       ^~~~~~~~~ error spin-lock
  }
}
__device__ void unlock(int* mutex) { atomicExch(mutex, 0); }
__global__ void add(int* mutex, float* sum) {
  lock(mutex);
  *sum += 1.0f;
  unlock(mutex);
}
