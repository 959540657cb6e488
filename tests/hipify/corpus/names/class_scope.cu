#include <cuda_runtime.h>
void Pool::cudaMalloc() { cudaFree(0); }
template <class T> void Box<T>::cudaFree() {}
