#include <cuda_fp8.h>
__nv_fp8_e4m3 x; __nv_fp8_e5m2 y;
__nv_fp8_storage_t z;
