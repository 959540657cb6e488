#include <cufft.h>
void f(cufftComplex *p) {
  cufftHandle h;
  cufftPlan1d(&h, 64, CUFFT_C2C, 1);
  cufftExecC2C(h, p, p, CUFFT_FORWARD);
}
