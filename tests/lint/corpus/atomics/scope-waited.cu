__global__ void count(int* total) { atomicAdd(total, 1); }
int run() {
  int* total;
  (void)cudaMallocManaged(&total, sizeof(int));
  *total = 0;
  count<<<1, 64>>>(total);
  (void)cudaDeviceSynchronize();
  return *total;
}
