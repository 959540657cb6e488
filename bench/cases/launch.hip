// Costs of launches from C++, in microseconds, a line a sample. Usage: launch enqueue|sync|graph samples [count]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <hip/hip_runtime.h>

#define CHECK(call)                                                                              \
    do {                                                                                         \
        hipError_t status = (call);                                                              \
        if (status != hipSuccess) {                                                              \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, hipGetErrorString(status)); \
            std::exit(1);                                                                        \
        }                                                                                        \
    } while (0)

__global__ void empty() {}
__global__ void step(int *value) { *value += 1; }

static double now() {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    const int samples = std::atoi(argv[2]), count = argc > 3 ? std::atoi(argv[3]) : 10000;
    hipStream_t stream;
    CHECK(hipStreamCreate(&stream));
    empty<<<1, 64, 0, stream>>>();
    CHECK(hipStreamSynchronize(stream));
    if (!std::strcmp(argv[1], "enqueue")) {
        for (int s = 0; s < samples; s++) {
            const double start = now();
            for (int i = 0; i < count; i++) empty<<<1, 64, 0, stream>>>();
            const double end = now();
            CHECK(hipGetLastError());
            CHECK(hipStreamSynchronize(stream));
            std::printf("%.6f\n", (end - start) / count);
        }
    } else if (!std::strcmp(argv[1], "sync")) {
        for (int s = 0; s < samples; s++) {
            const double start = now();
            for (int i = 0; i < count; i++) {
                empty<<<1, 64, 0, stream>>>();
                CHECK(hipStreamSynchronize(stream));
            }
            std::printf("%.6f\n", (now() - start) / count);
        }
    } else if (!std::strcmp(argv[1], "graph")) {  // nodes that follow one another, and a count that shows that they ran
        int *value;
        CHECK(hipMalloc(&value, sizeof *value));
        CHECK(hipMemset(value, 0, sizeof *value));
        hipGraph_t graph;
        hipGraphExec_t ready;
        CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
        for (int i = 0; i < count; i++) step<<<1, 1, 0, stream>>>(value);
        CHECK(hipStreamEndCapture(stream, &graph));
        CHECK(hipGraphInstantiate(&ready, graph, nullptr, nullptr, 0));
        CHECK(hipGraphLaunch(ready, stream));
        CHECK(hipStreamSynchronize(stream));
        const int replays = 10;
        for (int s = 0; s < samples; s++) {
            const double start = now();
            for (int i = 0; i < replays; i++) CHECK(hipGraphLaunch(ready, stream));
            CHECK(hipStreamSynchronize(stream));
            std::printf("%.6f\n", (now() - start) / count / replays);
        }
        int found = 0;
        CHECK(hipMemcpy(&found, value, sizeof found, hipMemcpyDeviceToHost));
        if (found != count * (1 + samples * replays)) {
            std::fprintf(stderr, "%d nodes ran, expected %d\n", found, count * (1 + samples * replays));
            return 1;
        }
    } else {
        return 2;
    }
    return 0;
}
