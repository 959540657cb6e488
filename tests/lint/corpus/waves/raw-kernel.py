import cupy

source = r"""
extern "C" __global__ void total(const float *x, float *out) {
    float value = x[threadIdx.x];
    for (int offset = 16; offset > 0; offset >>= 1)
        value += __shfl_down_sync(0xffffffff, value, offset);
    if ((threadIdx.x & 31) == 0) atomicAdd(out, value);
}
"""
kernel = cupy.RawKernel(source, "total")
other = "no kernel: 0xffffffff, threadIdx & 31"
