#include <cufftXt.h>
void f(cufftHandle h, int *g) { cufftXtSetGPUs(h, 2, g); }
