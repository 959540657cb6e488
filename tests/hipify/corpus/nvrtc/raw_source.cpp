#include <nvrtc.h>
const char *s = R"(
#include <cooperative_groups.h>
__global__ void k() {}
)";
const char *t = R"(__global__ void k() { int cudaSuccess; })";
