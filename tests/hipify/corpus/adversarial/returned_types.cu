#include <cuda_runtime.h>
#include <cub/cub.cuh>
auto f(cudaStream_t s) -> cudaError_t { return cudaStreamSynchronize(s); }
auto g() noexcept -> cudaError_t;
auto h() const -> cudaStream_t *;
auto l = [](int x) mutable -> cub::NullType { return {}; };
int m = get()->cudaFree() + get()->cudaError + p->cudaStream_t;
auto n() -> std::vector<cudaStream_t>;
auto u() -> cudaNoSuchType { return {}; }
