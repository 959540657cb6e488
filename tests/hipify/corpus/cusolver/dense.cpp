#include <cusolverDn.h>
void f() {
  cusolverDnHandle_t h;
  cusolverDnCreate(&h);
  int n = CUSOLVER_EIG_MODE_VECTOR;
}
