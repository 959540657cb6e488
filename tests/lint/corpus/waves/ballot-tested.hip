#include <hip/hip_runtime.h>
__device__ int tested(bool p) {
    int any = __ballot(p) != 0;
    int many = __ballot(p) ? 1 : 0;
    unsigned votes = p ? __ballot(p) : 0;
    unsigned long long wide = static_cast<unsigned long long>(__ballot(p));
    return any + many + votes + __popc(wide);
}
