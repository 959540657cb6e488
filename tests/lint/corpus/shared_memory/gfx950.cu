// softrock-gpu: gfx950
__global__ void tile(float* p) { extern __shared__ float rest[]; }
void run(float* p) {
  tile<<<1, 64, 160 * 1024>>>(p);
  tile<<<1, 64, 160 * 1024 + 4>>>(p);
//              ^~~~~~~~~~~~~~ error shared-memory-limit
}
