__global__ void sum(float* total, const float* in) {
  __shared__ float part;
  atomicAdd(&part, in[threadIdx.x]);
  atomicAdd(total, part);
}
void run(float* unknown) {
  float *total, *in;
  (void)cudaMalloc(&total, sizeof(float));
  (void)cudaMallocHost(&in, sizeof(float));
  sum<<<1, 64>>>(total, in);
  sum<<<1, 64>>>(unknown, in);
}
