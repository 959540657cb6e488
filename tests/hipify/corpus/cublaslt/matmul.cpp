#include <cublasLt.h>
void f() {
  cublasLtHandle_t h; cublasLtCreate(&h);
  cublasLtMatmulDesc_t d;
}
