#include <cuda_runtime.h>
#define CALL(name) cuda##name()
void f() { CALL(DeviceSynchronize); }
