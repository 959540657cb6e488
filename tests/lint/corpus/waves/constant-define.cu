#define WARP_SIZE 32
#define THREADS_PER_WARP (32)
#define TILE_SIZE 32
__device__ int lane() { return threadIdx.x % WARP_SIZE + THREADS_PER_WARP + TILE_SIZE; }
