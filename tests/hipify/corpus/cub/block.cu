#include <cub/cub.cuh>
__global__ void k(int *p) {
  typedef cub::BlockReduce<int, 128> Reduce;
  __shared__ typename Reduce::TempStorage t;
  *p = Reduce(t).Sum(*p);
}
