#include <cuda_runtime.h>
template <class T> struct Holder {};
Holder<cudaStream_t> a; Holder<Holder<cudaEvent_t>> b;
auto c = static_cast<cudaError_t>(0);
