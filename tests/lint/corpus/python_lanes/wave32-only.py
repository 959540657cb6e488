# softrock-gpu: gfx1100
from numba import hip


@hip.jit
def loop(x):
    v = x[hip.threadIdx.x]
    offset = 16
    while offset > 0:
        v += hip.shfl_down_sync(0xFFFFFFFF, v, offset)
        offset //= 2
    if hip.laneid == 31:
        x[0] = v
