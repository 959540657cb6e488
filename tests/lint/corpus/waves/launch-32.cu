#define WARP_SIZE 32
__global__ void kernel(float *x) { x[threadIdx.x] = 0; }
void start(float *x, int n) {
    dim3 block(32);
    dim3 tile(32, 8), wide(64), rows(WARP_SIZE, 4);
    kernel<<<n, 32>>>(x);
    kernel<<<n, block>>>(x);
    kernel<<<n, tile>>>(x);
    kernel<<<n, wide>>>(x);
    kernel<<<n, rows>>>(x);
    kernel<<<n, WARP_SIZE>>>(x);
}
