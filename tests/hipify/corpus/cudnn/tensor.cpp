#include <cudnn.h>
void f() {
  cudnnHandle_t h; cudnnTensorDescriptor_t t;
  cudnnCreate(&h);
  cudnnCreateTensorDescriptor(&t);
}
