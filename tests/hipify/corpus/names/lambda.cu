#include <cuda_runtime.h>
auto deleter = [](void *p) { cudaFree(p); };
struct D { void operator()(void *p) const { cudaFree(p); } };
