import numpy as np
from numba import hip, uint32, uint64

FULL = 0xFFFFFFFF
WIDE = 0xFFFFFFFFFFFFFFFF


@hip.jit
def loop(x):
    v = x[hip.threadIdx.x]
    offset = 16
#            ^~ error python-reduction-of-32-lanes
    while offset > 0:
        v += hip.shfl_down_sync(FULL, v, offset)
#                               ^~~~ warning python-mask-32-bits
        offset //= 2
    for step in (16, 8, 4, 2, 1):
#               ^~~~~~~~~~~~~~~~ error python-reduction-of-32-lanes
        v += hip.shfl_xor_sync(np.uint32(0xFFFFFFFF), v, step)
#                              ^~~~~~~~~~~~~~~~~~~~~ warning python-mask-32-bits
    hip.syncwarp(mask=0xFFFFFFFF)
#                     ^~~~~~~~~~ warning python-mask-32-bits
    x[0] = v


@hip.jit
def votes(x):
    inside = x[0] > 0
    if hip.ballot_sync(WIDE, inside) == 0xFFFFFFFF:
#      ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ warning python-ballot-in-32-bits
        x[1] = hip.popc(uint32(hip.ballot_sync(WIDE, inside)))
#                       ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ warning python-ballot-in-32-bits
    low = hip.activemask() & 0xFFFFFFFF
#         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~ warning python-ballot-in-32-bits
    x[2] = hip.popc(uint64(hip.ballot_sync(WIDE, inside))) + low
