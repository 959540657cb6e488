__global__ void arrive(int* count, int* own) {
  atomicAdd(count, 1);
//^~~~~~~~~ warning atomic-scope
  __threadfence();
//^~~~~~~~~~~~~ warning atomic-scope
  atomicAdd(own, 1);
}
void run(int devices) {
  int* count;
  (void)cudaMallocManaged(&count, sizeof(int));
  for (int device = 0; device < devices; ++device) {
    int* own;
    (void)cudaSetDevice(device);
    (void)cudaMallocManaged(&own, sizeof(int));
    arrive<<<1, 64>>>(count, own);
  }
}
__global__ void local(int* count) {
  __threadfence();
  atomicAdd(count, 1);
}
