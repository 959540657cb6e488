from cupyx import jit
import torch

WARP_SIZE = 32
#           ^~ warning python-warp-size
warp_size: int = 32
#                ^~ warning python-warp-size
BLOCK = 32
warps = 256 // 32


@jit.rawkernel()
def kernel(x):
    tid = jit.threadIdx.x
    lane = tid % 32
#                ^~ warning python-warp-size
    warp = jit.threadIdx.x >> 5
#                             ^ warning python-warp-size
    row = x % 32
    return lane + warp + row


def host(tid):
    return tid % 32 + torch.cuda.get_device_properties(0).warp_size
