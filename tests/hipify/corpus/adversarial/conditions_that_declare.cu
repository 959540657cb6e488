#include <cuda_runtime.h>
void f() {
  if (cudaError_t cudaError = cudaGetLastError(); cudaError != cudaSuccess) return;
  if ((cudaError_t)1 == g(cudaError(2))) return;
  for (cudaStream_t cudaStream : streams) cudaStreamDestroy(cudaStream);
  for (int cudaI = 0, n = 3; cudaI < n; ++cudaI) { use(cudaI); }
  for (int cudaJ = 0; cudaJ < 3; ++cudaJ) use(cudaJ);
  while (int cudaK = next()) use(cudaK);
  try { } catch (const Trouble &cudaErr) { throw cudaErr; }
  use(cudaI);
}
