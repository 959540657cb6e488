#include <nvToolsExt.h>
void f() { nvtxRangePushA("cudaMalloc"); nvtxMarkA("x"); nvtxRangePop(); }
