// Histogram of bytes: atomics on LDS within a block, then atomics on global memory. Usage: histogram [bytes]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
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

constexpr int kBins = 256;

__global__ void histogram(size_t count, const uint8_t *data, unsigned *bins) {
    __shared__ unsigned local[kBins];
    for (int i = threadIdx.x; i < kBins; i += blockDim.x)
        local[i] = 0;
    __syncthreads();
    const size_t step = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
        atomicAdd(&local[data[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < kBins; i += blockDim.x)
        if (local[i] != 0)
            atomicAdd(&bins[i], local[i]);
}

int main(int argc, char **argv) {
    const long asked = argc > 1 ? std::atol(argv[1]) : 2000003;
    if (asked <= 0) {
        std::fprintf(stderr, "usage: %s [bytes]\n", argv[0]);
        return 2;
    }
    const size_t count = asked;
    std::vector<uint8_t> data(count);
    std::vector<unsigned> expected(kBins, 0), bins(kBins);
    uint32_t state = 12345;
    for (uint8_t &value : data) {
        state = state * 1664525u + 1013904223u;
        // The product of two random bytes: small values are frequent, so that many lanes meet in one bin.
        value = uint8_t(((state >> 24) * ((state >> 16) & 255)) >> 8);
        ++expected[value];
    }

    uint8_t *device_data;
    unsigned *device_bins;
    CHECK(hipMalloc(&device_data, count));
    CHECK(hipMalloc(&device_bins, kBins * sizeof(unsigned)));
    CHECK(hipMemcpy(device_data, data.data(), count, hipMemcpyHostToDevice));
    CHECK(hipMemset(device_bins, 0, kBins * sizeof(unsigned)));
    histogram<<<64, 256>>>(count, device_data, device_bins);
    CHECK(hipGetLastError());
    CHECK(hipMemcpy(bins.data(), device_bins, kBins * sizeof(unsigned), hipMemcpyDeviceToHost));
    CHECK(hipFree(device_data));
    CHECK(hipFree(device_bins));

    for (int i = 0; i < kBins; ++i) {
        if (bins[i] != expected[i]) {
            std::printf("FAILED: bin %d holds %u, expected %u\n", i, bins[i], expected[i]);
            return 1;
        }
    }
    std::printf("PASSED: %zu bytes\n", count);
    return 0;
}
