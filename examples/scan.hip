// Inclusive prefix sum that asks for the wave size instead of assuming one: the same source is right for waves of
// 64 lanes (gfx942) and of 32 (gfx1100). Usage: scan [elements]
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

constexpr int kThreads = 512;
constexpr int kMostWaves = kThreads / 32;  // as many as there are where waves are smallest

__device__ int wave_scan(int value) {
    const int lane = threadIdx.x % warpSize;
    for (int offset = 1; offset < warpSize; offset *= 2) {
        const int before = __shfl_up(value, offset);
        if (lane >= offset)
            value += before;
    }
    return value;
}

// Scans each block by itself and stores its total.
__global__ void scan_blocks(int count, const int *in, int *out, int *totals) {
    __shared__ int wave_totals[kMostWaves];
    const int i = blockIdx.x * kThreads + threadIdx.x;
    const int lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize;
    const int waves = kThreads / warpSize;
    int value = wave_scan(i < count ? in[i] : 0);
    if (lane == warpSize - 1)
        wave_totals[wave] = value;
    __syncthreads();
    if (wave == 0) {
        const int scanned = wave_scan(lane < waves ? wave_totals[lane] : 0);
        if (lane < waves)
            wave_totals[lane] = scanned;
    }
    __syncthreads();
    if (wave > 0)
        value += wave_totals[wave - 1];
    if (i < count)
        out[i] = value;
    if (threadIdx.x == kThreads - 1)
        totals[blockIdx.x] = value;
}

// Adds to each block what comes before it; `offsets` holds the scanned totals.
__global__ void add_offsets(int count, int *out, const int *offsets) {
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (blockIdx.x > 0 && i < count)
        out[i] += offsets[blockIdx.x - 1];
}

static void scan(int count, const int *in, int *out) {
    const int blocks = (count + kThreads - 1) / kThreads;
    int *totals;
    CHECK(hipMalloc(&totals, blocks * sizeof(int)));
    scan_blocks<<<blocks, kThreads>>>(count, in, out, totals);
    CHECK(hipGetLastError());
    if (blocks > 1) {
        scan(blocks, totals, totals);
        add_offsets<<<blocks, kThreads>>>(count, out, totals);
        CHECK(hipGetLastError());
    }
    CHECK(hipFree(totals));
}

int main(int argc, char **argv) {
    const int count = argc > 1 ? std::atoi(argv[1]) : 1000003;
    if (count <= 0) {
        std::fprintf(stderr, "usage: %s [elements]\n", argv[0]);
        return 2;
    }
    std::vector<int> values(count), result(count);
    std::srand(4);
    for (int &value : values)
        value = std::rand() % 201 - 100;

    int *in, *out;
    CHECK(hipMalloc(&in, count * sizeof(int)));
    CHECK(hipMalloc(&out, count * sizeof(int)));
    CHECK(hipMemcpy(in, values.data(), count * sizeof(int), hipMemcpyHostToDevice));
    scan(count, in, out);
    CHECK(hipMemcpy(result.data(), out, count * sizeof(int), hipMemcpyDeviceToHost));
    CHECK(hipFree(in));
    CHECK(hipFree(out));

    hipDeviceProp_t properties;
    CHECK(hipGetDeviceProperties(&properties, 0));
    int expected = 0;
    for (int i = 0; i < count; ++i) {
        expected += values[i];
        if (result[i] != expected) {
            std::printf("FAILED: element %d is %d, expected %d\n", i, result[i], expected);
            return 1;
        }
    }
    std::printf("PASSED: %d elements, waves of %d\n", count, properties.warpSize);
    return 0;
}
