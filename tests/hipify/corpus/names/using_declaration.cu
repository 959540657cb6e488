#include <cuda_runtime.h>
using Stream = cudaStream_t;
typedef cudaEvent_t Event;
using cudaLike = int;
cudaLike z;
