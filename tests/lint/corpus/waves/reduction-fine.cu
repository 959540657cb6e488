template <int Size> __device__ float sum(float x) {
    for (int offset = warpSize / 2; offset > 0; offset >>= 1) x += __shfl_down(x, offset);
    for (int offset = Size / 2; offset > 0; offset >>= 1) x += __shfl_down(x, offset);
    for (int offset = 16; offset > 0; offset >>= 1) x += __shfl_down(x, offset, 32);
    for (int offset = 8; offset > 0; offset >>= 1) x += __shfl_xor(x, offset);
    for (int i = 16; i > 0; i >>= 1) x += i;
    for (int offset = 32; offset > 0; offset >>= 1) x += __shfl_down(x, offset);
    x += __shfl_down(x, 32);
    x += __shfl_down(x, 16);
    x += __shfl_down(x, 8);
    x += __shfl_down(x, 4);
    x += __shfl_down(x, 2);
    x += __shfl_down(x, 1);
    return x;
}
// softrock-gpu: gfx942
