__global__ void step(float* p) {}
void wrong(float* host, float* p, float* q) {
  cudaStream_t stream;
  (void)cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  step<<<1, 64, 0, stream>>>(p);
  (void)cudaMemcpy(host, q, 256, cudaMemcpyDeviceToHost);
  (void)cudaMemcpy(host, p, 256, cudaMemcpyDeviceToHost);
//      ^~~~~~~~~~ warning unordered-default-stream
}
void waited(float* host, float* p) {
  cudaStream_t stream;
  (void)cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  step<<<1, 64, 0, stream>>>(p);
  (void)cudaStreamSynchronize(stream);
  (void)cudaMemcpy(host, p, 256, cudaMemcpyDeviceToHost);
}
void blocking(float* host, float* p) {
  cudaStream_t stream;
  (void)cudaStreamCreate(&stream);
  step<<<1, 64, 0, stream>>>(p);
  (void)cudaMemcpy(host, p, 256, cudaMemcpyDeviceToHost);
}
