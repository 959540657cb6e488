#include <cuda_runtime.h>
// cudaMalloc in a line
/* cudaFree
   cudaMemcpy */
int x; // cudaError_t \
 cudaSuccess goes on
int y = cudaSuccess /* cudaSuccess */;
