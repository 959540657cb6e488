template <int T> __global__ void __launch_bounds__(T, MIN_WARPS_PER_EU) waves(float* p) {}
template <int T> __global__ void __launch_bounds__(T, MIN_BLOCKS) blocks(float* p) {}
//                                                    ^~~~~~~~~~ warning launch-bounds-second-argument
