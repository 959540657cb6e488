#define WARP_SIZE 32
__global__ void kernel(float *x) { x[threadIdx.x] = 0; }
