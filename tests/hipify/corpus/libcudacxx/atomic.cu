#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> a;
__device__ cuda::std::atomic<int> b;
