struct Traits {
    static constexpr int kThreads = 32;
    enum { kLog = 5 };
};
namespace sizes { constexpr unsigned kLow = 31; }
template <class T> __device__ int kernel(int v) {
    int warp = threadIdx.x / Traits::kThreads;
    int lane = threadIdx.x & sizes::kLow;
    int again = threadIdx.x >> Traits::kLog;
    int other = threadIdx.x / T::kThreads + threadIdx.x / Elsewhere::kThreads;
    return __shfl(v, lane) + warp + again + other;
}
