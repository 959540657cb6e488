#include <cuda_runtime.h>
#if 0
cudaNoSuchThing(1); it's prose: cudaMalloc
cudaFree(p);
#endif
#ifdef NEVER
cudaFree(p);
#else
cudaNoSuchThing(2);
#endif
