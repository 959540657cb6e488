#include <cuda_runtime.h>
const char *raw = R"x(cudaMalloc )" cudaFree )x"; cudaStream_t s0;
const char *cut = "cudaMalloc \
cudaFree"; cudaEvent_t e0;
auto u = u8"cudaFree"; auto v = u8R"(cudaFree")" LR"(cudaFree)"; auto c = 'cudaFree';
int n = 1'000'000 + 0x1'0p+3; auto lit = 12_cudaFree; const char *j = "a" "cudaFree" u"\"cudaFree";
auto w = u8 + L + R; cudaStream_t uR; char q = '"', r = '\'', s = '\\'; cudaStream_t e1;
