#include <cuda_runtime.h>
cudaExtent f() { return make_cudaExtent(1, 2, 3); }
