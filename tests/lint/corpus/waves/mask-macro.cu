#define FULL_MASK 0xffffffff
#define LOWER_MASK (0xffffffffu)
#define SUM(x) __reduce_add_sync(0xffffffff, x)
__device__ int sum(int value) {
    int total = __shfl_down_sync(FULL_MASK, value, 1);
    return total + __any_sync(LOWER_MASK, value) + SUM(value);
}
