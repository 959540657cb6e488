#define WARP_SIZE 32
__device__ float sum(float x) {
    int lane = threadIdx.x & 31;
    unsigned votes = __ballot(x > 0);
    for (int offset = 16; offset > 0; offset >>= 1) x += __shfl_down(x, offset);
    return lane == 31 ? x : __popc(votes) + (1u << lane);
}
// softrock-gpu: gfx1100,gfx1201
