#include <cuda_runtime.h>
namespace mine { int cudaMalloc(void **, int); }
int f(void **p) { return mine::cudaMalloc(p, 4) + ::cudaMalloc(p, 4) + cudaMalloc(p, 4); }
