#define THREADS 256
constexpr int blocks = THREADS / 64;
__global__ void __launch_bounds__(1024, 2) plain(float* p) {}
//                                      ^ warning launch-bounds-second-argument
__global__ void __launch_bounds__(THREADS, blocks) named(float* p) {}
//                                         ^~~~~~ warning launch-bounds-second-argument
__global__ void __launch_bounds__(128, 1) single(float* p) {}
template <int T, int B> __global__ void __launch_bounds__(T, B) templated(float* p) {}
//                                                           ^ warning launch-bounds-second-argument
__global__ void __launch_bounds__(256) one_argument(float* p) {}
__global__ __launch_bounds__(64, 32, 1) void clamped(float* p) {}
//                               ^~ warning launch-bounds-second-argument
