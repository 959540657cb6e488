#include <hip/hip_runtime.h>
#define LOW __builtin_amdgcn_mbcnt_lo(~0u, 0)
#define BOTH __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0))
__device__ int low() { return __builtin_amdgcn_mbcnt_lo(~0u, 0); }
__device__ int both() {
    int low = __builtin_amdgcn_mbcnt_lo(~0u, 0);
    return __builtin_amdgcn_mbcnt_hi(~0u, low);
}
__device__ int by_size() {
#if __AMDGCN_WAVEFRONT_SIZE == 32
    return __builtin_amdgcn_mbcnt_lo(~0u, 0);
#endif
}
