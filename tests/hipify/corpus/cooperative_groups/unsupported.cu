#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__global__ void k(int *a) { cg::memcpy_async(cg::this_thread_block(), a, a, 4); cooperative_groups::wait(cg::this_thread_block()); }
