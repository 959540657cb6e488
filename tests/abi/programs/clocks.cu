// A wait for two million clocks ends, and the clock does not run backwards, on GPUs with a short cycle counter too.
#include <cstdio>

__global__ void wait(long long *out) {
    long long begin = clock64(), last = begin, back = 0;
    while (last - begin < 2000000) {
        long long now = clock64();
        back += now < last;
        last = now;
    }
    out[0] = back;
}

int main() {
    long long *out;
    if (cudaMallocManaged(&out, sizeof *out) != cudaSuccess) return 2;
    wait<<<1, 1>>>(out);
    if (cudaDeviceSynchronize() != cudaSuccess) return 3;
    std::printf("%lld steps back\n", *out);
}
