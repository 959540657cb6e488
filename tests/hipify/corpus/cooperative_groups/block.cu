#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k() {
  cg::thread_block b = cg::this_thread_block();
  auto t = cg::tiled_partition<32>(b);
  b.sync();
}
