#include <nvrtc.h>
void f(const char *s) {
  nvrtcProgram p;
  nvrtcResult r = nvrtcCreateProgram(&p, s, "cuda.cu", 0, 0, 0);
  if (r != NVRTC_SUCCESS) nvrtcGetErrorString(r);
}
