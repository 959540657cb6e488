# softrock-gpu: gfx1100
import triton

CONFIGS = [triton.Config({}, num_warps=32), triton.Config({}, num_warps=64)]
#                                                             ^~~~~~~~~~~~ error triton-num-warps
WARP_SIZE = 32
