import cupy
from torch.utils.cpp_extension import load_inline

WARP = 32
text = f"""
__device__ int formatted(int v) {{
    int lane = threadIdx.x & 31;
//             ^~~~~~~~~~~~~~~~ error lane-id-literal
    return __shfl_down(v, {WARP // 2}) + lane;
}}
"""
parts = (
    "__device__ int joined(int v) {\n"
    # a comment between
    "  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor(v, o);\n"
#                   ^~ error reduction-of-32-lanes
    "  return v; }\n"
)
summed = "__device__ int sum(bool p) {" + \
    " unsigned m = __ballot(p); return m; }"
#              ^ error ballot-in-32-bits
module = load_inline("x", "", r"""
__global__ void raw(int *x) { x[0] = __shfl(x[1], 31); }
//                                                ^~ error shuffle-from-lane-31
""", extra_cuda_cflags=["-arch=sm_90", "-O3"])
#                       ^~~~~~~~~~~~~ warning raw-kernel-options
text = "a warp has 32 lanes", "threadIdx", "select __shfl from kernels"
