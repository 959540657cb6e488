// C = A * B with the matrix cores of CDNA GPUs: one wave computes a 32 x 32 tile with v_mfma_f32_32x32x8_f16.
// Compile for gfx90a, gfx942 or gfx950 (RDNA GPUs have WMMA instructions instead). Usage: mfma_matmul [size]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <hip/hip_runtime.h>

#define CHECK(call)                                                                            \
    do {                                                                                       \
        hipError_t status = (call);                                                            \
        if (status != hipSuccess) {                                                            \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, hipGetErrorString(status)); \
            std::exit(1);                                                                      \
        }                                                                                      \
    } while (0)

#if defined(__HIP_DEVICE_COMPILE__) && !defined(__gfx90a__) && !defined(__gfx942__) && !defined(__gfx950__)
#error "mfma_matmul needs a CDNA GPU: compile it for gfx90a, gfx942 or gfx950"
#endif

using half4 = _Float16 __attribute__((ext_vector_type(4)));
using float16 = float __attribute__((ext_vector_type(16)));

constexpr int kTile = 32, kDepth = 8, kWave = 64;
static_assert(kTile * kTile == kWave * 16, "each lane holds 16 of the tile's results");
static_assert(kTile * kDepth == kWave * 4, "each lane holds 4 elements of either operand");

// One block of one wave for each tile of C. `size` is a multiple of 32; matrices are row-major.
__global__ __launch_bounds__(kWave) void matmul(int size, const _Float16 *a, const _Float16 *b, float *c) {
    const int lane = threadIdx.x;
    const int row0 = blockIdx.y * kTile, column0 = blockIdx.x * kTile;
    const int line = lane % 32, group = lane / 32;  // the lane's row of A and column of B; which four of eight k
    float16 sum = {};
    for (int start = 0; start < size; start += kDepth) {
        half4 part_a, part_b;
        for (int i = 0; i < 4; ++i) {
            const int k = start + 4 * group + i;
            part_a[i] = a[(row0 + line) * size + k];
            part_b[i] = b[k * size + column0 + line];
        }
#if defined(__HIP_DEVICE_COMPILE__)
        sum = __builtin_amdgcn_mfma_f32_32x32x8f16(part_a, part_b, sum, 0, 0, 0);
#endif
    }
    // Result i of a lane: column `line`, row 8 * (i / 4) + 4 * group + i % 4.
    for (int i = 0; i < 16; ++i)
        c[(row0 + 8 * (i / 4) + 4 * group + i % 4) * size + column0 + line] = sum[i];
}

int main(int argc, char **argv) {
    const int size = argc > 1 ? std::atoi(argv[1]) : 256;
    if (size <= 0 || size % kTile != 0) {
        std::fprintf(stderr, "usage: %s [size, a multiple of %d]\n", argv[0], kTile);
        return 2;
    }
    hipDeviceProp_t properties;
    CHECK(hipGetDeviceProperties(&properties, 0));
    if (std::strncmp(properties.gcnArchName, "gfx9", 4) != 0 || properties.warpSize != kWave) {
        std::fprintf(stderr, "%s has no matrix cores of CDNA's kind\n", properties.gcnArchName);
        return 1;
    }

    const size_t elements = size_t(size) * size;
    std::vector<_Float16> a(elements), b(elements);
    std::vector<float> c(elements);
    std::srand(5);
    for (size_t i = 0; i < elements; ++i) {
        a[i] = _Float16(std::rand() % 65 / 32.0f - 1.0f);  // a multiple of 1/32: exact in half precision
        b[i] = _Float16(std::rand() % 65 / 32.0f - 1.0f);
    }
    _Float16 *device_a, *device_b;
    float *device_c;
    CHECK(hipMalloc(&device_a, elements * sizeof(_Float16)));
    CHECK(hipMalloc(&device_b, elements * sizeof(_Float16)));
    CHECK(hipMalloc(&device_c, elements * sizeof(float)));
    CHECK(hipMemcpy(device_a, a.data(), elements * sizeof(_Float16), hipMemcpyHostToDevice));
    CHECK(hipMemcpy(device_b, b.data(), elements * sizeof(_Float16), hipMemcpyHostToDevice));
    matmul<<<dim3(size / kTile, size / kTile), kWave>>>(size, device_a, device_b, device_c);
    CHECK(hipGetLastError());
    CHECK(hipMemcpy(c.data(), device_c, elements * sizeof(float), hipMemcpyDeviceToHost));
    CHECK(hipFree(device_a));
    CHECK(hipFree(device_b));
    CHECK(hipFree(device_c));

    for (int row = 0; row < size; ++row) {
        for (int column = 0; column < size; ++column) {
            float expected = 0.0f;  // multiples of 2^-10 below 2^13: exact in any order
            for (int k = 0; k < size; ++k)
                expected += float(a[row * size + k]) * float(b[k * size + column]);
            if (c[row * size + column] != expected) {
                std::printf("FAILED: C[%d][%d] = %.9g, expected %.9g\n", row, column, c[row * size + column],
                            expected);
                return 1;
            }
        }
    }
    std::printf("PASSED: %d x %d, exact\n", size, size);
    return 0;
}
