import cupy as cp, os
import pycuda.driver
from numba import cuda
import torch
torch.cuda.synchronize()
