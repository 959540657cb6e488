#include <cub/cub.cuh>
#include <cooperative_groups.h>
namespace c = cub;
namespace w = ::cub;
namespace cg = cooperative_groups;
using namespace cub;
using cub::BlockReduce;
using R = c::BlockReduce<int, 128>;
typedef w::BlockScan<int, 128> S;
__device__ void f() { cg::thread_block b = cg::this_thread_block(); cg::sync(b); c::Traits<int>::X; }
namespace mine { namespace cub { struct BlockReduce {}; } cub::BlockReduce own; }
