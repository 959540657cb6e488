#include <cuda_runtime.h>
struct cudaDeviceProp p;
enum cudaMemcpyKind k = cudaMemcpyHostToDevice;
static cudaStream_t s; extern const cudaError_t e;
