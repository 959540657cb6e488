// Eight threads, each with a stream of its own, on two devices: everything that may go wrong between threads.
#include <hip/hip_runtime.h>
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

__global__ void add(int *p, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] += value;
}
static std::atomic<int> bad{0};
#define OK(call)                                                                    \
    do {                                                                            \
        hipError_t error_ = (call);                                                 \
        if (error_ != hipSuccess) {                                                 \
            std::printf("line %d: %s\n", __LINE__, hipGetErrorName(error_));        \
            bad++;                                                                  \
            return;                                                                 \
        }                                                                           \
    } while (0)

static void work(int id) {
    const int n = 5000, rounds = 40;
    OK(hipSetDevice(id & 1));
    hipStream_t stream;
    OK(hipStreamCreateWithFlags(&stream, id & 2 ? hipStreamNonBlocking : hipStreamDefault));
    int *device, *more;
    std::vector<int> host(n, id);
    OK(hipMalloc(&device, n * sizeof(int)));
    for (int r = 0; r < rounds; r++) {
        OK(hipMemcpyAsync(device, host.data(), n * sizeof(int), hipMemcpyHostToDevice, stream));
        for (int k = 0; k < 5; k++) add<<<(n + 255) / 256, 256, 0, stream>>>(device, n, k);
        OK(hipGetLastError());
        OK(hipMemcpyAsync(host.data(), device, n * sizeof(int), hipMemcpyDeviceToHost, stream));
        OK(hipStreamSynchronize(stream));
        hipEvent_t event;
        OK(hipEventCreate(&event));
        OK(hipEventRecord(event, stream));
        OK(hipEventSynchronize(event));
        OK(hipEventDestroy(event));
        if (r % 10 == 0) {
            OK(hipMalloc(&more, 1000));
            OK(hipFree(more));
            add<<<1, 64>>>(device, 0, 0);
        }
    }
    for (int value : host)
        if (value != id + 10 * rounds) {
            bad++;
            break;
        }
    OK(hipFree(device));
    OK(hipStreamDestroy(stream));
}

int main() {
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; i++) threads.emplace_back(work, i);
    for (auto &each : threads) each.join();
    std::printf("%d bad\n", bad.load());
    return bad;
}
