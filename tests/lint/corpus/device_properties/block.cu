__global__ void any(float* p) {}
__global__ void __launch_bounds__(256) bounded(float* p) {}
void run(float* p, int n) {
  const int warps = 64;
  dim3 block(32, 32);
  dim3 large(32, 32, 2);
  any<<<1, block>>>(p);
  any<<<1, large>>>(p);
//         ^~~~~ error block-too-large
  any<<<1, warps * 32>>>(p);
//         ^~~~~~~~~~ error block-too-large
  any<<<1, n>>>(p);
  bounded<<<1, 512>>>(p);
//             ^~~ error block-too-large
  bounded<<<1, 256>>>(p);
  any<<<dim3(4096, 4096), dim3(16, 16)>>>(p);
}
