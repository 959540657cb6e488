#include <cuda_runtime.h>
void f() { k<<<1>>>(a); k<<<1, 2>>>; }
// k<<<1, 2>>>(a);
const char *s = "k<<<1, 2>>>(a)";
