#include <cuda_runtime.h>
void *a = (void *)cudaMalloc, *b = reinterpret_cast<void *>(&cudaFree);
typedef cudaError_t (*alloc_fn)(void **, size_t);
alloc_fn table[] = {(alloc_fn)cudaMalloc, [0] = cudaMalloc, .member = cudaMallocHost};
S s = {.cudaStream = 3, .cudaFree = cudaFree};
int arr[cudaMemcpyHostToDevice + 1];
bool c = cudaSuccess == f() && cudaErrorUnknown != g();
static_assert(sizeof(cudaIpcMemHandle_t) == 64, "cudaIpcMemHandle_t");
cudaStream_t *ps, **pps, &rs = s, arrs[3]; const cudaStream_t cs{}; cudaStream_t const &cr = s;
template <typename T, cudaError_t E = cudaSuccess> struct Holder { static constexpr cudaError_t value = E; };
using E2 = Holder<int, cudaErrorUnknown>;
int operator""_cuda(unsigned long long);
int lit = 3_cuda;
#pragma message("cudaMalloc")
#line 3 "cudaFree.cu"
