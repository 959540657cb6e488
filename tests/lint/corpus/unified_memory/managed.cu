__managed__ int counter;
//              ^~~~~~~ note managed-memory
void run(float** data, int device) {
  (void)cudaMallocManaged(data, 1024);
//      ^~~~~~~~~~~~~~~~~ note managed-memory
  (void)cudaMemPrefetchAsync(*data, 1024, device, 0);
//      ^~~~~~~~~~~~~~~~~~~~ warning managed-memory
  (void)cudaMemAdvise(*data, 1024, cudaMemAdviseSetReadMostly, device);
//      ^~~~~~~~~~~~~ warning managed-memory
}
