#ifdef __HIP_PLATFORM_AMD__
#define FULL_MASK 0xffffffffffffffffull
#else
#define FULL_MASK 0xffffffff
#endif
#if defined(SOMETHING)
#define MY_WARP_MASK __activemask()
#else
#define MY_WARP_MASK 0xffffffffu
#endif
__device__ int sum(int value) {
    return __shfl_down_sync(FULL_MASK, value, 1) + __shfl_down_sync(MY_WARP_MASK, value, 1);
}
