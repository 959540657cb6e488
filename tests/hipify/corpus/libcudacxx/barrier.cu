#include <cuda/barrier>
__device__ void f(cuda::barrier<cuda::thread_scope_block> *b) { b->arrive_and_wait(); }
