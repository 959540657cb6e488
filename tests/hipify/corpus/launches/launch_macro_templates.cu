#include <cuda_runtime.h>
void f(int *a) {
  t<int><<<1, 2>>>(a);
  t<int, 3><<<g(1, 2), h<4, 5>(6)>>>(a);
  t<std::pair<int, std::vector<int>>><<<1, 2>>>(a, b);
  ns::in<2>::t<<<1, 2>>>();
}
