#include <cuda_runtime.h>
void g(cudaStream_t cudaStream, int n = h(cudaStream)) { use(cudaStream); }
void proto(cudaStream_t cudaStream);
struct S { S(int cudaX, int y) : a{cudaX}, b(cudaX) { use(cudaX); } int a, b; };
void fp(void (*cb)(cudaStream_t cudaS, int), int q) { use(q); }
template <class T> auto m(T cudaT) -> decltype(cudaT + 1) { return cudaT; }
void outside() { use(cudaX); }
