from numba import hip

num_warps = 4
threads = num_warps * 32
#         ^~~~~~~~~~~~~~ warning python-warp-size
columns = 32 * rows
more = 32 * warps_per_block
#      ^~~~~~~~~~~~~~~~~~~~ warning python-warp-size


@hip.jit
def kernel(x):
    lane = hip.laneid
    if hip.laneid == 31:
#      ^~~~~~~~~~~~~~~~ warning python-warp-size
        x[0] = 1
    if lane < 32:
#      ^~~~~~~~~ warning python-warp-size
        x[1] = 1
    if lane < 16 or x[0] == 31:
        x[2] = 1


def host(lane):
    return lane == 31
