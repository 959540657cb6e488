from cupyx import jit


@jit.rawkernel()
def total(x):
    v = x[jit.threadIdx.x]
    v += jit.shfl_down_sync(mask, v, 16)
#                                    ^~ error python-reduction-of-32-lanes
    v += jit.shfl_down_sync(mask, v, 8)
    v += jit.shfl_down_sync(mask, v, 4)
    v += jit.shfl_down_sync(mask, v, 2)
    v += jit.shfl_down_sync(mask, v, 1)
    x[0] = v


@jit.rawkernel()
def of_64(x):
    v = x[jit.threadIdx.x]
    v += jit.shfl_down_sync(mask, v, 32)
    v += jit.shfl_down_sync(mask, v, 16)
    v += jit.shfl_down_sync(mask, v, 8)
    v += jit.shfl_down_sync(mask, v, 4)
    v += jit.shfl_down_sync(mask, v, 2)
    v += jit.shfl_down_sync(mask, v, 1)
    x[0] = v
