#include <hip/hip_runtime.h>
template <int WarpSize> __device__ int by_template(int lane, int v) {
    if (WarpSize > 32) {
        if (lane >= 32) v = __shfl(v, 31);
    }
    if (lane < WarpSize && lane >= 32) v = 0;
    return v;
}
__device__ int by_built_in(int v) {
    if (warpSize == 64) v += __shfl_down(v, 32);
    v += __shfl_down(v, 16);
    v += __shfl_down(v, 8);
    v += __shfl_down(v, 4);
    v += __shfl_down(v, 2);
    return v + __shfl_down(v, 1);
}
__device__ int by_switch(int v) {
    switch (warpSize) {
    case 32: return __shfl(v, 31);
    default: return __shfl(v, 63);
    }
}
__device__ int by_macro(unsigned long long flags, bool p) {
#if ROCPRIM_WAVEFRONT_SIZE == 32
    unsigned votes = __ballot(p);
    return __ffs(votes);
#elif defined(__gfx1100__)
    return __ffs(__ballot(p));
#else
    return __ffsll(__ballot(p));
#endif
}
__device__ int by_none(bool p) {
#if DEBUG > 32
    return __ffs(__ballot(p));
#endif
}
