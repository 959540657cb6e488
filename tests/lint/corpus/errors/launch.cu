__global__ void step(float* data) { data[threadIdx.x] = 0.0f; }
void bare(float* data) {
  step<<<1, 64>>>(data);
//^~~~ note unchecked-launch
}
void asked(float* data) {
  step<<<1, 64>>>(data);
  if (cudaGetLastError() != cudaSuccess) abort();
}
void through_macro(float* data) {
  step<<<1, 64>>>(data);
  CHECK_CUDA(cudaDeviceSynchronize());
}
void inside_macro(float* data) {
  CUDA_CHECK_LAUNCH((step<<<1, 64>>>(data)));
}
void dropped(float* data) {
  step<<<1, 64>>>(data);
//^~~~ note unchecked-launch
  (void)cudaFree(data);
}
