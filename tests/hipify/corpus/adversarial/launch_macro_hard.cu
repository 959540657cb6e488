#include <cuda_runtime.h>
#define LAUNCH(k, g, b, ...) k<<<g, b>>>(__VA_ARGS__)
void f() {
  kern<float, (1 > 2)><<<dim3(1, 2), std::max<int>(3, 4), sizeof(float) * 3, s>>>(a, b);
  k<<<g, b>>>(x >> 3, y<<2);
  ns::k<T><<<{1, 2}, b, 0, stream()>>>(p, [=] { return a < b; });
  (*table[i])<<<1, 1>>>(a);
  obj.kernel<<<1, 1>>>(a);
  k<<<1 /* blocks */, 2 // threads
     >>>(a);
  LAUNCH((kern<int, 3>), 1, 2, a);
}
