__device__ void synced(volatile float* part, unsigned t) {
  part[t] += part[t + 32];
  __syncwarp();
  part[t] += part[t + 16];
  __syncwarp();
}
__device__ void other(volatile int* flag, float* part, unsigned t) {
  part[t] += part[t + 32];
  part[t] += part[t + 16];
  flag[0] = 1;
}
