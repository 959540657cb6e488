// Half, bfloat16 and 8-bit floats give the same bits on the host, in integer arithmetic, as on the device.
#include <cstdio>
#include <cstring>
#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>
#include <hip/hip_fp8.h>
#include <hip/hip_runtime.h>

const int COUNT = 1 << 16, RESULTS = 14;

__host__ __device__ unsigned mixed(unsigned i) {
    i *= 2654435761u;
    i ^= i >> 15;
    i *= 2246822519u;
    return i ^ (i >> 13);
}

// A NaN's bits may differ.
__host__ __device__ unsigned short of(__half h) { return __hisnan(h) ? 0x7fff : __half_as_ushort(h); }
__host__ __device__ unsigned short of(__hip_bfloat16 b) { return __hisnan(b) ? 0x7fff : __bfloat16_as_ushort(b); }

__host__ __device__ void compute(unsigned i, unsigned short *o) {
    const unsigned bits = mixed(i);
    float f;
    memcpy(&f, &bits, 4);
    const __half a = __ushort_as_half(bits), b = __ushort_as_half(bits >> 16);
    const __hip_bfloat16 p = __ushort_as_bfloat16(bits), q = __ushort_as_bfloat16(bits >> 16);
    o[0] = of(__float2half(f)), o[1] = of(a + b), o[2] = of(a * b), o[3] = of(a / b), o[4] = of(__float2bfloat16(f));
    o[5] = of(p * q), o[6] = of(__hfma(p, q, p)), o[7] = of(__float2half_ru(f)), o[8] = __hip_fp8_e4m3(f).__x;
    o[9] = __hip_fp8_e5m2_fnuz(f).__x, o[10] = of(__hmax(a, b)), o[11] = of(__hfma(a, b, a));
    o[12] = (a < b) + 2 * __hequ(p, q), o[13] = of(__int2half_rd((int)bits));
}

__global__ void device(unsigned short *out) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    compute(i, out + RESULTS * i);
}

int main() {
    unsigned short *out = nullptr;
    if (hipMallocManaged(&out, COUNT * RESULTS * 2) != hipSuccess) return 1;
    device<<<COUNT / 256, 256>>>(out);
    if (hipDeviceSynchronize() != hipSuccess) return 1;
    int wrong = 0;
    for (unsigned i = 0; i < COUNT; i++) {
        unsigned short mine[RESULTS];
        compute(i, mine);
        for (int j = 0; j < RESULTS; j++)
            if (mine[j] != out[RESULTS * i + j] && wrong++ < 5)
                printf("result %d of %u: host %#x, device %#x\n", j, i, mine[j], out[RESULTS * i + j]);
    }
    printf("%d differences\n", wrong);
    return wrong != 0;
}
