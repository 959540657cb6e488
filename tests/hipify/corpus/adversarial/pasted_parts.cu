#include <cublas_v2.h>
#define GEMM(T) cublas##T##gemm
#define PASTE(a, b) a##b
#define OWN(a) own_##a
#define LABEL(n) n##_kernel
int p = PASTE(cuda, Malloc)(&p, 3);
int q = OWN(cuda) + LABEL(cudaSuccess);
