__global__ void read(cudaTextureObject_t image, cudaSurfaceObject_t out, float* result) {
  result[0] = tex2D<float>(image, 0.5f, 0.5f);
//            ^~~~~ error texture-on-cdna
  result[1] = tex1Dfetch<float>(image, 3);
//            ^~~~~~~~~~ error texture-on-cdna
  surf2Dwrite(1.0f, out, 0, 0);
//^~~~~~~~~~~ error texture-on-cdna
}
void make(cudaTextureObject_t* image, cudaResourceDesc* resource, cudaTextureDesc* texture) {
  (void)cudaCreateTextureObject(image, resource, texture, nullptr);
//      ^~~~~~~~~~~~~~~~~~~~~~~ error texture-on-cdna
}
