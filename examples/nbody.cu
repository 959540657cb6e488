// Gravitational n-body: every body attracts every other. Each block stages tiles of bodies in shared memory.
// Usage: nbody [bodies] [steps]
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

constexpr int kTile = 256;
constexpr float kSoftening = 1e-2f;
constexpr float kTimeStep = 1e-3f;

__host__ __device__ inline float3 attraction(float3 sum, float4 self, float4 other) {
    const float dx = other.x - self.x, dy = other.y - self.y, dz = other.z - self.z;
    const float distance2 = dx * dx + dy * dy + dz * dz + kSoftening;
#ifdef __CUDA_ARCH__
    const float inverse = rsqrtf(distance2);
#else
    const float inverse = 1.0f / std::sqrt(distance2);
#endif
    const float scale = other.w * inverse * inverse * inverse;
    return make_float3(sum.x + scale * dx, sum.y + scale * dy, sum.z + scale * dz);
}

__global__ void accelerate(int count, const float4 *position, float3 *acceleration) {
    __shared__ float4 tile[kTile];
    const int i = blockIdx.x * kTile + threadIdx.x;
    const float4 self = i < count ? position[i] : make_float4(0, 0, 0, 0);
    float3 sum = make_float3(0, 0, 0);
    for (int start = 0; start < count; start += kTile) {
        const int j = start + threadIdx.x;
        tile[threadIdx.x] = j < count ? position[j] : make_float4(0, 0, 0, 0);  // a body without mass
        __syncthreads();
        for (int k = 0; k < kTile; ++k)
            sum = attraction(sum, self, tile[k]);
        __syncthreads();
    }
    if (i < count)
        acceleration[i] = sum;
}

__global__ void integrate(int count, float4 *position, float3 *velocity, const float3 *acceleration) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float3 v = velocity[i];
    v.x += kTimeStep * acceleration[i].x;
    v.y += kTimeStep * acceleration[i].y;
    v.z += kTimeStep * acceleration[i].z;
    velocity[i] = v;
    position[i].x += kTimeStep * v.x;
    position[i].y += kTimeStep * v.y;
    position[i].z += kTimeStep * v.z;
}

static float uniform() { return 2.0f * std::rand() / float(RAND_MAX) - 1.0f; }

// Acceleration of one body, summed on the CPU in double precision.
static void reference(const std::vector<float4> &position, int i, double out[3]) {
    out[0] = out[1] = out[2] = 0.0;
    for (const float4 &other : position) {
        const double dx = double(other.x) - position[i].x, dy = double(other.y) - position[i].y;
        const double dz = double(other.z) - position[i].z;
        const double distance2 = dx * dx + dy * dy + dz * dz + kSoftening;
        const double scale = other.w / (distance2 * std::sqrt(distance2));
        out[0] += scale * dx;
        out[1] += scale * dy;
        out[2] += scale * dz;
    }
}

int main(int argc, char **argv) {
    const int count = argc > 1 ? std::atoi(argv[1]) : 8192;
    const int steps = argc > 2 ? std::atoi(argv[2]) : 4;
    if (count <= 0 || steps <= 0) {
        std::fprintf(stderr, "usage: %s [bodies] [steps]\n", argv[0]);
        return 2;
    }
    std::srand(1);
    std::vector<float4> position(count);
    for (float4 &body : position)
        body = make_float4(uniform(), uniform(), uniform(), (1.5f + uniform()) / count);

    float4 *device_position;
    float3 *velocity, *acceleration;
    CHECK(cudaMalloc(&device_position, count * sizeof(float4)));
    CHECK(cudaMalloc(&velocity, count * sizeof(float3)));
    CHECK(cudaMalloc(&acceleration, count * sizeof(float3)));
    CHECK(cudaMemset(velocity, 0, count * sizeof(float3)));
    CHECK(cudaMemcpy(device_position, position.data(), count * sizeof(float4), cudaMemcpyHostToDevice));

    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));

    const int blocks = (count + kTile - 1) / kTile;
    accelerate<<<blocks, kTile>>>(count, device_position, acceleration);
    CHECK(cudaGetLastError());
    std::vector<float3> result(count);
    CHECK(cudaMemcpy(result.data(), acceleration, count * sizeof(float3), cudaMemcpyDeviceToHost));

    CHECK(cudaEventRecord(begin));
    for (int step = 0; step < steps; ++step) {
        accelerate<<<blocks, kTile>>>(count, device_position, acceleration);
        integrate<<<blocks, kTile>>>(count, device_position, velocity, acceleration);
    }
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    const double interactions = double(count) * count * steps;
    std::printf("%s: %d bodies, %d steps, %.2f ms, %.2f G interactions/s\n", properties.name, count, steps,
                milliseconds, interactions / (milliseconds * 1e6));

    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaFree(device_position));
    CHECK(cudaFree(velocity));
    CHECK(cudaFree(acceleration));

    const int stride = count > 512 ? count / 512 : 1;
    for (int i = 0; i < count; i += stride) {
        double expected[3];
        reference(position, i, expected);
        const double got[3] = {result[i].x, result[i].y, result[i].z};
        const double size = std::sqrt(expected[0] * expected[0] + expected[1] * expected[1] +
                                      expected[2] * expected[2]);
        for (int axis = 0; axis < 3; ++axis) {
            if (!(std::fabs(got[axis] - expected[axis]) <= 1e-4 * size + 1e-5)) {
                std::printf("FAILED: body %d axis %d: %.8g, expected %.8g\n", i, axis, got[axis], expected[axis]);
                return 1;
            }
        }
    }
    std::printf("PASSED\n");
    return 0;
}
