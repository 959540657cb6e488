// Heat conduction on a plate: a five-point stencil with a halo in shared memory, two buffers taking turns.
// Usage: stencil [width] [height] [steps]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
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

constexpr int kBlockX = 32, kBlockY = 8;
__constant__ float conductivity;

// The rim of the plate keeps its temperature.
__global__ void diffuse(int width, int height, const float *in, float *out) {
    __shared__ float tile[kBlockY + 2][kBlockX + 2];
    const int x = blockIdx.x * kBlockX + threadIdx.x, y = blockIdx.y * kBlockY + threadIdx.y;
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const int cx = min(x, width - 1), cy = min(y, height - 1);
    tile[ty][tx] = in[cy * width + cx];
    if (threadIdx.x == 0)
        tile[ty][0] = in[cy * width + max(cx - 1, 0)];
    if (threadIdx.x == kBlockX - 1)
        tile[ty][kBlockX + 1] = in[cy * width + min(cx + 1, width - 1)];
    if (threadIdx.y == 0)
        tile[0][tx] = in[max(cy - 1, 0) * width + cx];
    if (threadIdx.y == kBlockY - 1)
        tile[kBlockY + 1][tx] = in[min(cy + 1, height - 1) * width + cx];
    __syncthreads();
    if (x >= width || y >= height)
        return;
    float value = tile[ty][tx];
    if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
        const float around = tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 1] + tile[ty][tx + 1];
        value += conductivity * (around - 4.0f * value);
    }
    out[y * width + x] = value;
}

int main(int argc, char **argv) {
    const int width = argc > 1 ? std::atoi(argv[1]) : 301;
    const int height = argc > 2 ? std::atoi(argv[2]) : 203;
    const int steps = argc > 3 ? std::atoi(argv[3]) : 20;
    if (width < 3 || height < 3 || steps <= 0) {
        std::fprintf(stderr, "usage: %s [width] [height] [steps]\n", argv[0]);
        return 2;
    }
    const float rate = 0.2f;
    const size_t elements = size_t(width) * height, bytes = elements * sizeof(float);
    std::vector<float> plate(elements);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            plate[y * width + x] = x == 0 ? 100.0f : 20.0f + 10.0f * std::sin(0.1f * x) * std::cos(0.07f * y);

    float *in, *out;
    CHECK(cudaMalloc(&in, bytes));
    CHECK(cudaMalloc(&out, bytes));
    CHECK(cudaMemcpy(in, plate.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(conductivity, &rate, sizeof(rate)));
    const dim3 block(kBlockX, kBlockY), grid((width + kBlockX - 1) / kBlockX, (height + kBlockY - 1) / kBlockY);
    for (int step = 0; step < steps; ++step) {
        diffuse<<<grid, block>>>(width, height, in, out);
        CHECK(cudaGetLastError());
        std::swap(in, out);
    }
    std::vector<float> result(elements);
    CHECK(cudaMemcpy(result.data(), in, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));

    std::vector<float> next(plate);
    for (int step = 0; step < steps; ++step) {
        for (int y = 1; y < height - 1; ++y)
            for (int x = 1; x < width - 1; ++x) {
                const float *p = &plate[y * width + x];
                next[y * width + x] = *p + rate * (p[-width] + p[width] + p[-1] + p[1] - 4.0f * *p);
            }
        std::swap(plate, next);
    }
    double worst = 0.0;
    for (size_t i = 0; i < elements; ++i) {
        const double error = std::fabs(result[i] - plate[i]);
        worst = error <= worst ? worst : error;  // a NaN becomes the worst
    }
    const bool good = worst <= 1e-3;
    std::printf("%d x %d, %d steps: largest difference %.2e\n", width, height, steps, worst);
    std::printf("%s\n", good ? "PASSED" : "FAILED");
    return good ? 0 : 1;
}
