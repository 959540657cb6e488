#include <nvrtc.h>
const char *s = "#include <cuda_fp16.h>\n__global__ void k(__half *p) {}";
