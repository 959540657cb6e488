__global__ void ready(int* flag, int* other) {
  atomicExch(flag, 1);
//^~~~~~~~~~ warning atomic-scope
  atomicAdd_system(other, 1);
}
void run() {
  int *flag, *other;
  (void)cudaHostAlloc(&flag, sizeof(int), cudaHostAllocMapped);
  (void)cudaHostAlloc(&other, sizeof(int), cudaHostAllocMapped);
  ready<<<1, 1>>>(flag, other);
  while (*(volatile int*)flag == 0) {}
  while (*(volatile int*)other == 0) {}
}
