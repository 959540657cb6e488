#include <cuda_runtime.h>
#include <optix.h>
#include <npp.h>
