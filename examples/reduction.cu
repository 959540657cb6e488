// Sum and maximum of an array: warp shuffles, then shared memory, then one atomic a block.
// Usage: reduction [elements]
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CHECK(call)                                                                             \
    do {                                                                                        \
        cudaError_t status = (call);                                                            \
        if (status != cudaSuccess) {                                                            \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
            std::exit(1);                                                                       \
        }                                                                                       \
    } while (0)

constexpr int kThreads = 256;
constexpr unsigned kAll = 0xffffffffu;

__global__ void reduce(int count, const int *values, unsigned long long *sum, int *maximum) {
    __shared__ long long sums[kThreads / 32];
    __shared__ int maxima[kThreads / 32];
    long long total = 0;
    int highest = INT_MIN;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        total += values[i];
        highest = max(highest, values[i]);
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        total += __shfl_down_sync(kAll, total, offset);
        highest = max(highest, __shfl_xor_sync(kAll, highest, offset));
    }
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane == 0) {
        sums[warp] = total;
        maxima[warp] = highest;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < kThreads / 32; ++i) {
            total += sums[i];
            highest = max(highest, maxima[i]);
        }
        atomicAdd(sum, static_cast<unsigned long long>(total));
        atomicMax(maximum, highest);
    }
}

int main(int argc, char **argv) {
    const int count = argc > 1 ? std::atoi(argv[1]) : 3000001;
    if (count <= 0) {
        std::fprintf(stderr, "usage: %s [elements]\n", argv[0]);
        return 2;
    }
    std::vector<int> values(count);
    std::srand(3);
    long long expected_sum = 0;
    int expected_maximum = INT_MIN;
    for (int &value : values) {
        value = std::rand() % 2000001 - 1000000;
        expected_sum += value;
        expected_maximum = value > expected_maximum ? value : expected_maximum;
    }

    int *device_values, *device_maximum;
    unsigned long long *device_sum;
    const int lowest = INT_MIN;
    CHECK(cudaMalloc(&device_values, count * sizeof(int)));
    CHECK(cudaMalloc(&device_sum, sizeof(*device_sum)));
    CHECK(cudaMalloc(&device_maximum, sizeof(int)));
    CHECK(cudaMemcpy(device_values, values.data(), count * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(device_sum, 0, sizeof(*device_sum)));
    CHECK(cudaMemcpy(device_maximum, &lowest, sizeof(int), cudaMemcpyHostToDevice));

    reduce<<<120, kThreads>>>(count, device_values, device_sum, device_maximum);
    CHECK(cudaGetLastError());

    unsigned long long bits = 0;
    int maximum = 0;
    CHECK(cudaMemcpy(&bits, device_sum, sizeof(bits), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&maximum, device_maximum, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device_values));
    CHECK(cudaFree(device_sum));
    CHECK(cudaFree(device_maximum));

    const long long sum = static_cast<long long>(bits);
    std::printf("sum %lld (expected %lld), maximum %d (expected %d)\n", sum, expected_sum, maximum,
                expected_maximum);
    const bool good = sum == expected_sum && maximum == expected_maximum;
    std::printf("%s\n", good ? "PASSED" : "FAILED");
    return good ? 0 : 1;
}
