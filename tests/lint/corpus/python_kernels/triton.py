import triton
import triton.language as tl

CONFIGS = [triton.Config({"BLOCK": 1024}, num_warps=w) for w in (4, 8)]
MORE = [triton.Config({"BLOCK": 1024, "num_warps": 32}), triton.Config({}, num_warps=16, num_ctas=2)]
#                                                  ^~ error triton-num-warps
#                                                                                        ^~~~~~~~~~ warning triton-nvidia-option


@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK) % 32
    y = tl.inline_asm_elementwise("popc.b32 $0, $1;", "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1)
#                                 ^~~~~~~~~~~~~~~~~~ error triton-inline-asm
    z = tl.inline_asm_elementwise(asm="v_add_u32 $0, $1, $1", constraints="=v,v", args=[x], dtype=tl.int32)
    return tl.extra.cuda.libdevice.rsqrt(y + z + lane)
#          ^~~~~~~~~~~~~ warning triton-cuda-extra


def run(x, n, large):
    num_warps = 32 if large else 4
#               ^~ error triton-num-warps
    kernel[(1,)](x, n, BLOCK=128, num_warps=num_warps, maxnreg=128)
#                                                      ^~~~~~~~~~~ warning triton-nvidia-option
    kernel[(1,)](x, n, BLOCK=128, num_warps=17)
#                                 ^~~~~~~~~~~~ error triton-num-warps
