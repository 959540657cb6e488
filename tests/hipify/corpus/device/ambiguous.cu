#include <cuda_runtime.h>
int mulhi(int a, int b) { return a; }
int x = mulhi(1, 2);
int float2int = 3;
