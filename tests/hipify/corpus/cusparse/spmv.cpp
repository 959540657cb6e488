#include <cusparse.h>
void f(cusparseHandle_t h) {
  cusparseSpMatDescr_t m;
  cusparseSetStream(h, 0);
  if (CUSPARSE_STATUS_SUCCESS == cusparseDestroySpMat(m)) return;
}
