void setup() {
  (void)cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 20);
//                         ^~~~~~~~~~~~~~~~~~~~~~~ note device-limit
  (void)cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 4);
//                         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~ warning device-limit
}
