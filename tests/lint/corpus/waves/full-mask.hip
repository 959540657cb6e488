#include <hip/hip_runtime.h>
#define FULL 0xffffffffull
__device__ bool all(bool p) { return __ballot(p) == 0xffffffffu; }
__device__ bool some(bool p) {
    const auto votes = __ballot(p);
    return p && votes != FULL && 0xFFFFFFFF != votes;
}
__device__ bool count(bool p) { return __popcll(__ballot(p)) == 32; }
