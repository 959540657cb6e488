// One thread a block; released in the turn that took it; not a lock.
__global__ void one(int* mutex, float* sum) {
  if (threadIdx.x == 0) {
    while (atomicCAS(mutex, 0, 1) != 0) {}
  }
  __syncthreads();
}
__global__ void others_left(int* mutex, float* sum) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(mutex, 0, 1) != 0) {}
}
__global__ void turn(int* mutex, float* sum) {
  bool done = false;
  while (!done) {
    if (atomicCAS(mutex, 0, 1) == 0) {
      *sum += 1.0f;
      __threadfence();
      atomicExch(mutex, 0);
      done = true;
    }
  }
}
__device__ float add(float* address, float value) {
  int* bits = (int*)address;
  int old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(value + __int_as_float(assumed)));
  } while (assumed != old);
  return __int_as_float(old);
}
__global__ void insert(int* state, int n) {
  int slot = threadIdx.x;
  while (true) {
    if (atomicCAS(&state[slot], 0, 1) == 0) break;
    slot = (slot + 1) % n;
  }
}
__device__ void take(int* mutex) { while (atomicCAS(mutex, 0, 1) != 0) {} }
__global__ void leader(int* mutex) {
  if (threadIdx.x == 0) take(mutex);
}
