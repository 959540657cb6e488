#include <cuda.h>
void f(CUtensorMap *m) { cuTensorMapEncodeTiled(m); }
