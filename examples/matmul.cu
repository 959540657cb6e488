// C = A * B, tiled: each block keeps a tile of A and of B in shared memory whose size is chosen at launch.
// Usage: matmul [size]
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

// Launched with tile x tile threads and 2 * tile * tile floats of dynamic shared memory.
__global__ void matmul(int size, const float *a, const float *b, float *c) {
    extern __shared__ float shared[];
    const int tile = blockDim.x;
    float *tile_a = shared;
    float *tile_b = shared + tile * tile;
    const int row = blockIdx.y * tile + threadIdx.y;
    const int column = blockIdx.x * tile + threadIdx.x;
    float sum = 0.0f;
    for (int start = 0; start < size; start += tile) {
        const int ax = start + threadIdx.x, by = start + threadIdx.y;
        tile_a[threadIdx.y * tile + threadIdx.x] = row < size && ax < size ? a[row * size + ax] : 0.0f;
        tile_b[threadIdx.y * tile + threadIdx.x] = by < size && column < size ? b[by * size + column] : 0.0f;
        __syncthreads();
        for (int k = 0; k < tile; ++k)
            sum += tile_a[threadIdx.y * tile + k] * tile_b[k * tile + threadIdx.x];
        __syncthreads();
    }
    if (row < size && column < size)
        c[row * size + column] = sum;
}

int main(int argc, char **argv) {
    const int size = argc > 1 ? std::atoi(argv[1]) : 500;  // no multiple of a tile: the edges matter
    if (size <= 0) {
        std::fprintf(stderr, "usage: %s [size]\n", argv[0]);
        return 2;
    }
    const size_t elements = size_t(size) * size, bytes = elements * sizeof(float);
    std::vector<float> a(elements), b(elements), c(elements);
    std::srand(2);
    for (size_t i = 0; i < elements; ++i) {
        a[i] = 2.0f * std::rand() / float(RAND_MAX) - 1.0f;
        b[i] = 2.0f * std::rand() / float(RAND_MAX) - 1.0f;
    }

    float *device_a, *device_b, *device_c;
    CHECK(cudaMalloc(&device_a, bytes));
    CHECK(cudaMalloc(&device_b, bytes));
    CHECK(cudaMalloc(&device_c, bytes));
    CHECK(cudaMemcpy(device_a, a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_b, b.data(), bytes, cudaMemcpyHostToDevice));

    bool good = true;
    for (int tile : {8, 16, 32}) {
        CHECK(cudaMemset(device_c, 0xff, bytes));  // NaN everywhere: what is not written shows
        const dim3 block(tile, tile), grid((size + tile - 1) / tile, (size + tile - 1) / tile);
        const size_t shared_bytes = 2 * sizeof(float) * tile * tile;
        matmul<<<grid, block, shared_bytes>>>(size, device_a, device_b, device_c);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(c.data(), device_c, bytes, cudaMemcpyDeviceToHost));

        double worst = 0.0;
        for (int row = 0; row < size; row += 1 + size / 64) {
            for (int column = 0; column < size; ++column) {
                double expected = 0.0;
                for (int k = 0; k < size; ++k)
                    expected += double(a[row * size + k]) * b[k * size + column];
                const double error = std::fabs(c[row * size + column] - expected);
                worst = error <= worst ? worst : error;  // a NaN becomes the worst
            }
        }
        const bool right = worst <= 1e-5 * std::sqrt(double(size)) + 1e-6;
        std::printf("tile %2d: largest error %.2e%s\n", tile, worst, right ? "" : "  <-- too large");
        good = good && right;
    }
    CHECK(cudaFree(device_a));
    CHECK(cudaFree(device_b));
    CHECK(cudaFree(device_c));
    std::printf("%s\n", good ? "PASSED" : "FAILED");
    return good ? 0 : 1;
}
