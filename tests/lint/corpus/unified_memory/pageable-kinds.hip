#include <hip/hip_runtime.h>
__global__ void fill(int *data) { data[threadIdx.x] = 1; }
__global__ void take(int value, dim3 other) {}
struct Own { int data[4]; };
void from_a_vector() {
  std::vector<int> values(64);
  fill<<<1, 64>>>(values.data());
//                ^~~~~~~~~~~~~ error pageable-to-kernel
  fill<<<1, 64>>>(thrust::raw_pointer_cast(values.data()));
}
void from_the_stack() {
  int values[64];
  const int more[2] = {1, 2};
  fill<<<1, 64>>>(values);
//                ^~~~~~ error pageable-to-kernel
  take<<<1, 64>>>(values[0], 1);
  hipLaunchKernelGGL(fill, dim3(1), dim3(2), 0, 0, more);
//                                                 ^~~~ error pageable-to-kernel
}
void fine() {
  std::vector<int, PinnedAllocator<int>> pinned(64);
  fill<<<1, 64>>>(pinned.data());
  thrust::device_vector<int> device(64);
  fill<<<1, 64>>>(device.data());
  int *table[4];
  fill<<<1, 64>>>(table[0]);
}
