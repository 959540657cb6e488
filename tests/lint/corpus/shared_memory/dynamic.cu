__global__ void tile(float* p) { __shared__ float fixed[1024]; extern __shared__ float rest[]; }
void run(float* p, cudaStream_t stream) {
  const int bytes = 96 * 1024;
  tile<<<1, 64, bytes, stream>>>(p);
//              ^~~~~ error shared-memory-limit
  tile<<<1, 64, 61440>>>(p);
  tile<<<1, 64, 61441>>>(p);
//              ^~~~~ error shared-memory-limit
  (void)cudaFuncSetAttribute(tile, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
//                                                                              ^~~~~ error shared-memory-limit
  (void)cudaFuncSetAttribute(tile, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10);
  (void)cudaFuncSetAttribute(tile, cudaFuncAttributePreferredSharedMemoryCarveout, 100000);
}
