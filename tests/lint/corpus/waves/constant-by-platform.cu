#ifdef USE_ROCM
#define WARP_SIZE 64
#else
#define WARP_SIZE 32
#endif
#if defined(__GFX9__)
constexpr int kWaveSize = 64;
#else
constexpr int kWaveSize = 32;
#endif
__device__ int lane() { return threadIdx.x % kWaveSize; }
// softrock-gpu: gfx942
