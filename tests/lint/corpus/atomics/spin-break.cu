__global__ void add(int* mutex, float* sum) {
  while (true) {
    if (atomicCAS(mutex, 0, 1) == 0) break;
//      ^~~~~~~~~ error spin-lock
  }
  *sum += 1.0f;
  atomicExch(mutex, 0);
}
__global__ void exchange(int* mutex, float* sum) {
  while (atomicExch(mutex, 1) == 1) {}
//       ^~~~~~~~~~ error spin-lock
  *sum += 1.0f;
  atomicExch(mutex, 0);
}
