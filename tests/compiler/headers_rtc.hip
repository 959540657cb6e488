// Compiled without any header of the C or C++ library: what HIPRTC gives a kernel on its own.
template <typename T> __global__ void scale(T *a, T factor, size_t count) {
    const size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) a[i] = factor * sqrt(a[i]) + pow(a[i], 2) + max((int)i, 2) + __shfl_down(a[i], 1);
}
template __global__ void scale<float>(float *, float, size_t);
template __global__ void scale<double>(double *, double, size_t);
extern "C" __global__ void k(float *a, int n, uint64_t *bits) {
    const uint32_t i = threadIdx.x;
    assert(n < 100);
    printf("%d\n", n);
    float4 v = make_float4(1, 2, 3, 4);
    atomicAdd(a, sinf(v.x) + INFINITY + FLT_MAX);
    bits[i] = __popcll(bits[i]) + UINT_MAX;
    __syncthreads();
}
