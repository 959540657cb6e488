#include <nvrtc.h>
void f(nvrtcProgram p, char *t) { nvrtcGetPTX(p, t); nvrtcGetCUBIN(p, t); }
