import triton

name = "größe"; config = triton.Config({"größe": 1}, num_warps=32)
#                                                    ^~~~~~~~~~~~ error triton-num-warps
