from numba import hip

WIDE = 0xFFFFFFFFFFFFFFFF


@hip.jit
def loop(x, mask):
    v = x[hip.threadIdx.x]
    offset = hip.warpsize // 2
    while offset > 0:
        v += hip.shfl_down_sync(WIDE, v, offset)
        offset //= 2
    rows = 16
    while rows > 0:
        v += x[rows]
        rows //= 2
    v += hip.shfl_sync(mask, v, 0)
    for step in (32, 16, 8, 4, 2, 1):
        v += hip.shfl_xor_sync(WIDE, v, step)
    x[0] = v


def host(table):
    return table.ballot_sync(0xFFFFFFFF, 1) == 0xFFFFFFFF
