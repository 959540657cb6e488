#include <nvrtc.h>
const char *a = "__global__ void k(float *p) { *p = __ldg(p); }";
const char *b = "extern \"C\" __global__ void k(curandState *s) { cudaNoSuchThing(); }";
const char *c = "no code: cudaMalloc";
