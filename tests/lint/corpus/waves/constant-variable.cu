constexpr int kWarpSize = 32;
static const unsigned warp_size = 32;
enum { WARP_THREADS = 32, BLOCK = 32 };
template <int WarpSize = 32> __device__ int of() { return WarpSize + kWarpSize + WARP_THREADS; }
int choose(int n) {
    int warp_size = n < 32 ? n : 32;
    const int warpSizeHost = std::min(n, 32);
    return warp_size + warpSizeHost;
}
