#define VOTE(p) __ballot_sync(__activemask(), p)
__device__ float sum(float x) {
    auto mask = __activemask();
    x += __shfl_down_sync(mask, x, 1);
    x += __shfl_down_sync(__activemask(), x, 2);
    return x;
}
