__global__ void fill(int* data) { data[threadIdx.x] = 1; }
int wrong() {
  int* data;
  (void)cudaMallocManaged(&data, 256);
//      ^~~~~~~~~~~~~~~~~ note managed-memory
  data[0] = 3;
  fill<<<1, 64>>>(data);
  int first = data[0];
//            ^~~~ warning managed-race
  (void)cudaDeviceSynchronize();
  return first + data[1];
}
int right() {
  int* data;
  (void)cudaMallocManaged(&data, 256);
//      ^~~~~~~~~~~~~~~~~ note managed-memory
  fill<<<1, 64>>>(data);
  (void)cudaDeviceSynchronize();
  return *data;
}
