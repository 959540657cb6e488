__global__ void fill(int* data) { data[threadIdx.x] = 1; }
__global__ void value(int a, int b, int c) {}
void run(int n) {
  int* heap = (int*)malloc(256);
  int* array = new int[64];
  int* device;
  (void)cudaMalloc(&device, 256);
  fill<<<1, 64>>>(heap);
//                ^~~~ error pageable-to-kernel
  fill<<<1, 64>>>(array);
//                ^~~~~ error pageable-to-kernel
  fill<<<1, 64>>>(device);
  fill<<<1, 64>>>(device + *heap);
  value<<<1, 64>>>(*heap, heap[3], array[0]);
  fill<<<1, 64>>>(&heap[3]);
//                ^~~~~~~~ error pageable-to-kernel
  delete[] array;
}
