#include <cub/cub.cuh>
using namespace cub;
using cub::BlockScan;
namespace c = cub;
c::DeviceScan s;
