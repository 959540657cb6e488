__constant__ float weights[16];
void load(const float* from, float* to) {
  (void)cudaMemcpyToSymbol("weights", from, 64);
//                         ^~~~~~~~~ error symbol-by-name
  (void)cudaMemcpyFromSymbol(to, "other", 64);
//                               ^~~~~~~ error symbol-by-name
  (void)cudaMemcpyToSymbol(weights, from, 64);
}
