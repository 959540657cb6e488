// Returns that no thread's number decides, or behind the last barrier, or in a lambda.
__global__ void uniform(float* data, int n) {
  if (n == 0) return;
  if (blockIdx.x >= n) return;
  __syncthreads();
  if (threadIdx.x >= n) return;
  data[threadIdx.x] = 0.0f;
}
__global__ void without_barrier(float* data, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  data[i] = 0.0f;
}
__global__ void lambda(float* data, int n) {
  auto clamp = [](int i) { if (i > 3) { return 3; } return i; };
  data[clamp(threadIdx.x)] = n;
  __syncthreads();
}
__global__ void agreed(float* data, int n) {
  if (__syncthreads_and(threadIdx.x < n)) return;
  __syncthreads();
}
void host(int n) { if (n) return; }
