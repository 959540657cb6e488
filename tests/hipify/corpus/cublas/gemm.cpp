#include <cublas_v2.h>
cublasStatus_t f(cublasHandle_t h, float *a) {
  float one = 1;
  return cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_T, 1, 1, 1, &one, a, 1, a, 1, &one, a, 1);
}
