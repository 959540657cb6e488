#include <cuda_runtime.h>
#define SAFE_CALL(...) safe(__VA_ARGS__, #__VA_ARGS__)
#define API(name) cudaError_t name(void)
#define LAUNCH(k, g, b, ...) \
  do { \
    k<<<g, b>>>(__VA_ARGS__); \
    SAFE_CALL(cudaGetLastError()); \
  } while (0)
API(mine);
void go() {
  LAUNCH((kern<int, (3 > 2)>), dim3(1), 2, a);
  SAFE_CALL(cudaMemcpyAsync(d, h, n, cudaMemcpyHostToDevice, s));
}
