// One step after the other of what compiled programs do; prints what it found and returns the number of failures.
#include <hip/hip_runtime.h>
#include <hip/hip_cooperative_groups.h>
#include <cstdio>
#include <cstring>
#include <vector>

static int failures = 0;
#define WANT(condition)                                                          \
    do {                                                                         \
        if (!(condition)) {                                                      \
            std::printf("line %d: %s\n", __LINE__, #condition);                  \
            failures++;                                                          \
        }                                                                        \
    } while (0)
#define OK(call)                                                                                   \
    do {                                                                                           \
        hipError_t error_ = (call);                                                                \
        if (error_ != hipSuccess) {                                                                \
            std::printf("line %d: %s: %s\n", __LINE__, #call, hipGetErrorName(error_));            \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

__device__ int counter;
__constant__ int table[4];
__managed__ int managed = 41;
__device__ int *pointer;

__global__ void count(int *out) {
    atomicAdd(&counter, 1);
    out[threadIdx.x] = table[threadIdx.x & 3];
    if (blockIdx.x == 0 && threadIdx.x == 0) managed++;
}
__global__ void sum(const int *in, int *out) {
    extern __shared__ int part[];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (t < k) part[t] += part[t + k];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}
template <typename T> __global__ void scale(T *p, T factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] *= factor;
}
__global__ void allocate(int **out) {
    int *p = (int *)malloc(8);
    *p = threadIdx.x * 3;
    out[threadIdx.x] = p;
}
__global__ void collect(int **in, int *out) {
    out[threadIdx.x] = *in[threadIdx.x];
    free(in[threadIdx.x]);
}
__global__ void two(int *out, int2 a, char b, double c) { out[0] = a.x + a.y + b + (int)c; }

__global__ void relay(int *p, int rounds) {  // each block adds what its neighbour had before
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    for (int i = 0; i < rounds; i++) {
        int next = p[(blockIdx.x + 1) % gridDim.x];
        grid.sync();
        if (threadIdx.x == 0) p[blockIdx.x] += next;
        grid.sync();
    }
}

static void called(void *data) { *(int *)data += 5; }
static void finished(hipStream_t, hipError_t status, void *data) { *(int *)data = 100 + (int)status; }

int main() {
    int *out, host[256], value = 0;
    OK(hipMalloc(&out, sizeof host));
    // symbols
    int values[4] = {10, 20, 30, 40};
    OK(hipMemcpyToSymbol(HIP_SYMBOL(table), values, sizeof values));
    count<<<4, 64>>>(out);
    OK(hipGetLastError());
    OK(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost));
    WANT(host[0] == 10 && host[5] == 20 && host[63] == 40);
    OK(hipMemcpyFromSymbol(&value, HIP_SYMBOL(counter), 4));
    WANT(value == 256 && managed == 42);
    size_t size = 0;
    void *address = nullptr;
    OK(hipGetSymbolSize(&size, HIP_SYMBOL(table)));
    OK(hipGetSymbolAddress(&address, HIP_SYMBOL(table)));
    WANT(size == 16 && address != nullptr);
    WANT(hipMemcpyToSymbol(HIP_SYMBOL(table), values, 16, 4) == hipErrorInvalidValue);
    (void)hipGetLastError();
    // dynamic LDS, templates, arguments of many kinds
    std::vector<int> ones(1024, 1);
    int *in;
    OK(hipMalloc(&in, 4096));
    OK(hipMemcpy(in, ones.data(), 4096, hipMemcpyHostToDevice));
    sum<<<4, 256, 1024>>>(in, out);
    OK(hipMemcpy(host, out, 16, hipMemcpyDeviceToHost));
    WANT(host[0] == 256 && host[3] == 256);
    scale<int><<<4, 256>>>(in, 3, 1024);
    scale<int><<<4, 256>>>(in, 5, 1000);
    OK(hipMemcpy(ones.data(), in, 4096, hipMemcpyDeviceToHost));
    WANT(ones[0] == 15 && ones[999] == 15 && ones[1000] == 3);
    two<<<1, 1>>>(out, make_int2(1, 2), 4, 8.5);
    OK(hipMemcpy(host, out, 4, hipMemcpyDeviceToHost));
    WANT(host[0] == 15);
    // the heap of kernels
    int **places;
    OK(hipMalloc(&places, 64 * sizeof(int *)));
    allocate<<<1, 64>>>(places);
    collect<<<1, 64>>>(places, out);
    OK(hipMemcpy(host, out, 256, hipMemcpyDeviceToHost));
    WANT(host[7] == 21 && host[63] == 189);
    // cooperative launches
    int start_values[8] = {1, 0, 0, 0, 0, 0, 0, 0}, rounds = 5;
    OK(hipMemcpy(out, start_values, 32, hipMemcpyHostToDevice));
    void *arguments[] = {&out, &rounds};
    OK(hipLaunchCooperativeKernel((const void *)relay, dim3(8), dim3(64), arguments, 0, nullptr));
    OK(hipMemcpy(host, out, 32, hipMemcpyDeviceToHost));
    int expected[8] = {1, 0, 0, 0, 0, 0, 0, 0};
    for (int r = 0; r < rounds; r++) {
        int old[8];
        std::memcpy(old, expected, 32);
        for (int i = 0; i < 8; i++) expected[i] += old[(i + 1) % 8];
    }
    WANT(std::memcmp(host, expected, 32) == 0);
    WANT(hipLaunchCooperativeKernel((const void *)relay, dim3(1 << 20), dim3(64), arguments, 0, nullptr) ==
         hipErrorCooperativeLaunchTooLarge);
    (void)hipGetLastError();
    // streams, events, host functions
    hipStream_t stream;
    hipEvent_t start, stop;
    OK(hipStreamCreate(&stream));
    OK(hipEventCreate(&start));
    OK(hipEventCreate(&stop));
    OK(hipEventRecord(start, stream));
    OK(hipMemsetAsync(out, 0, 1024, stream));
    for (int i = 0; i < 50; i++) count<<<1, 64, 0, stream>>>(out);
    value = 1;
    OK(hipLaunchHostFunc(stream, called, &value));
    int status = 0;
    OK(hipStreamAddCallback(stream, finished, &status, 0));
    OK(hipEventRecord(stop, stream));
    OK(hipEventSynchronize(stop));
    float ms = -1;
    OK(hipEventElapsedTime(&ms, start, stop));
    WANT(ms > 0 && value == 6 && status == 100 && hipStreamQuery(stream) == hipSuccess);
    // capture and launch a graph
    hipGraph_t graph;
    hipGraphExec_t ready;
    OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    count<<<2, 64, 0, stream>>>(out);
    count<<<2, 64, 0, stream>>>(out);
    OK(hipStreamEndCapture(stream, &graph));
    size_t nodes = 0;
    OK(hipGraphGetNodes(graph, nullptr, &nodes));
    WANT(nodes == 2);
    OK(hipGraphInstantiate(&ready, graph, nullptr, nullptr, 0));
    int before = 0;
    OK(hipMemcpyFromSymbol(&before, HIP_SYMBOL(counter), 4));
    for (int i = 0; i < 3; i++) OK(hipGraphLaunch(ready, stream));
    OK(hipStreamSynchronize(stream));
    OK(hipMemcpyFromSymbol(&value, HIP_SYMBOL(counter), 4));
    WANT(value - before == 3 * 256);
    OK(hipGraphExecDestroy(ready));
    OK(hipGraphDestroy(graph));
    // 2D, pinned, managed, attributes of pointers
    void *pitched;
    size_t pitch;
    OK(hipMallocPitch(&pitched, &pitch, 100, 4));
    OK(hipMemset2D(pitched, pitch, 7, 100, 4));
    char rows[400] = {0};
    OK(hipMemcpy2D(rows, 100, pitched, pitch, 100, 4, hipMemcpyDeviceToHost));
    WANT(pitch >= 100 && rows[0] == 7 && rows[399] == 7);
    hipPointerAttribute_t about;
    OK(hipPointerGetAttributes(&about, out));
    WANT(about.type == hipMemoryTypeDevice && about.device == 0 && about.devicePointer == out);
    OK(hipPointerGetAttributes(&about, &value));
    WANT(about.type == hipMemoryTypeUnregistered);
    int *shared;
    OK(hipMallocManaged(&shared, 64));
    shared[0] = 4;
    scale<int><<<1, 64>>>(shared, 10, 1);
    OK(hipDeviceSynchronize());
    WANT(shared[0] == 40);
    int *pinned;
    OK(hipHostMalloc(&pinned, 64, hipHostMallocDefault));
    pinned[0] = 6;
    scale<int><<<1, 64>>>(pinned, 7, 1);
    OK(hipDeviceSynchronize());
    WANT(pinned[0] == 42);
    // memory pools
    int *pooled;
    OK(hipMallocAsync((void **)&pooled, 256, stream));
    OK(hipMemsetAsync(pooled, 1, 256, stream));
    OK(hipFreeAsync(pooled, stream));
    OK(hipStreamSynchronize(stream));
    // words in memory
    hipStreamBatchMemOpParams steps[2] = {};
    steps[0].writeValue.operation = hipStreamMemOpWriteValue32;
    steps[0].writeValue.address = pinned;
    steps[0].writeValue.value = 77;
    steps[1].writeValue.operation = hipStreamMemOpWriteValue64;
    steps[1].writeValue.address = pinned + 2;
    steps[1].writeValue.value64 = 1ull << 40;
    OK(hipStreamBatchMemOp(stream, 2, steps, 0));
    OK(hipStreamWaitValue32(stream, pinned, 77, hipStreamWaitValueEq, 0xffffffffu));
    OK(hipStreamSynchronize(stream));
    WANT(pinned[0] == 77 && pinned[2] == 0 && pinned[3] == 256);
    // devices
    hipDeviceProp_t facts;
    int warp = 0;
    OK(hipGetDeviceProperties(&facts, 0));
    OK(hipDeviceGetAttribute(&warp, hipDeviceAttributeWarpSize, 0));
    WANT(std::strstr(facts.name, "(software)") && facts.warpSize == warp && facts.maxThreadsPerBlock == 1024);
    WANT(facts.totalGlobalMem > 0 && facts.multiProcessorCount > 0 && facts.arch.hasDoubles);
    hipFuncAttributes function;
    OK(hipFuncGetAttributes(&function, (const void *)sum));
    WANT(function.maxThreadsPerBlock == 1024 && function.numRegs > 0);
    int blocks = 0, grid = 0, block = 0;
    OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sum, 256, 1024));
    OK(hipOccupancyMaxPotentialBlockSize(&grid, &block, sum, 0, 0));
    WANT(blocks > 0 && block > 0 && grid > 0);
    // errors stay until they are asked for, and only then
    sum<<<1, 2048>>>(in, out);
    WANT(hipPeekAtLastError() == hipErrorInvalidConfiguration);
    WANT(hipMalloc(&address, 64) == hipSuccess);
    WANT(hipGetLastError() == hipErrorInvalidConfiguration);
    WANT(hipGetLastError() == hipSuccess);
    WANT(hipSetDevice(99) == hipErrorInvalidDevice && hipGetLastError() == hipErrorInvalidDevice);
    OK(hipFree(out));
    OK(hipFree(in));
    OK(hipStreamDestroy(stream));
    OK(hipDeviceSynchronize());
    std::printf("%d failures\n", failures);
    return failures;
}
