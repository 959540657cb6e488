#include <cublas_v2.h>
const char *f(cublasStatus_t s) {
  switch (s) {
    case CUBLAS_STATUS_SUCCESS: return "CUBLAS_STATUS_SUCCESS";
    default: return "";
  }
}
