// y = a * x + y on the GPU: the smallest complete CUDA program. Usage: saxpy [elements]
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

__global__ void saxpy(int count, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        y[i] = a * x[i] + y[i];
}

int main(int argc, char **argv) {
    const int count = argc > 1 ? std::atoi(argv[1]) : 1 << 20;
    if (count <= 0) {
        std::fprintf(stderr, "usage: %s [elements]\n", argv[0]);
        return 2;
    }
    const float a = 2.5f;
    std::vector<float> x(count), y(count);
    for (int i = 0; i < count; ++i) {
        x[i] = std::sin(0.001f * i);
        y[i] = 1.0f / (1.0f + i);
    }

    float *device_x, *device_y;
    const size_t bytes = count * sizeof(float);
    CHECK(cudaMalloc(&device_x, bytes));
    CHECK(cudaMalloc(&device_y, bytes));
    CHECK(cudaMemcpy(device_x, x.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_y, y.data(), bytes, cudaMemcpyHostToDevice));

    saxpy<<<(count + 255) / 256, 256>>>(count, a, device_x, device_y);
    CHECK(cudaGetLastError());

    std::vector<float> result(count);
    CHECK(cudaMemcpy(result.data(), device_y, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device_x));
    CHECK(cudaFree(device_y));

    for (int i = 0; i < count; ++i) {
        // The GPU fuses multiply and add: one rounding instead of two.
        const float expected = std::fma(a, x[i], y[i]);
        if (std::fabs(result[i] - expected) > 1e-6f * (1.0f + std::fabs(expected))) {
            std::printf("FAILED: y[%d] = %.9g, expected %.9g\n", i, result[i], expected);
            return 1;
        }
    }
    std::printf("PASSED: %d elements\n", count);
    return 0;
}
