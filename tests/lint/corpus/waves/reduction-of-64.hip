#include <hip/hip_runtime.h>
__device__ float sum(float x) {
    for (int offset = 32; offset > 0; offset >>= 1) x += __shfl_down(x, offset);
    x += __shfl_xor(x, 32);
    x += __shfl_xor(x, 16);
    x += __shfl_xor(x, 8);
    x += __shfl_xor(x, 4);
    x += __shfl_xor(x, 2);
    x += __shfl_xor(x, 1);
    return x;
}
// softrock-gpu: gfx1100
