#include <cuda.h>
// grüße
int x = cudaSuccess; const char *s = "é";
