#include <cutlass/gemm/device/gemm.h>
using namespace cute;
cutlass::gemm::device::Gemm<float> g;
cute::Tensor t; auto n = nvmlInit(); auto m = mine::cutlass::x;
namespace cutlass { int own; }
