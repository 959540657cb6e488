__global__ void child(float* p) {}
__global__ void parent(float* p) {
  child<<<1, 32>>>(p);
//^~~~~ error dynamic-parallelism
  cudaDeviceSynchronize();
//^~~~~~~~~~~~~~~~~~~~~ error dynamic-parallelism
}
__device__ void helper(float* p) { child<<<1, 32>>>(p); }
//                                 ^~~~~ error dynamic-parallelism
__host__ __device__ void both(float* p) { child<<<1, 32>>>(p); }
void host(float* p) { child<<<1, 32>>>(p); }
