// softrock-gpu: gfx1100
__global__ void read(cudaTextureObject_t image, float* result) {
  result[0] = tex2D<float>(image, 0.5f, 0.5f);
}
