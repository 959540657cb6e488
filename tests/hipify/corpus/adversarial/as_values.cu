#include <cuda_runtime.h>
auto f = &cudaMalloc;
auto g = cudaFree;
std::unique_ptr<float, decltype(&cudaFree)> p{nullptr, cudaFree};
std::function<cudaError_t(void *)> h{cudaFree};
template <cudaMemcpyKind K = cudaMemcpyHostToDevice> void t();
[[deprecated("cudaFree")]] void a(cudaStream_t s = cudaStreamPerThread);
struct cudaDeviceProp prop;
int c = x?cudaSuccess:cudaErrorUnknown, z = sizeof(cudaDeviceProp);
auto n = cudaMalloc/*c*/(&p, 3);
