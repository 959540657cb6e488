"""cudaMalloc in a docstring, -arch=sm_80"""
import os, torch
from setuptools import setup
from torch.utils.cpp_extension import (
    CUDAExtension,  # comment
    BuildExtension,
    CUDA_HOME,
)
import cupy as cp, numpy
from numba import cuda
import pycuda.autoinit
nvcc = ["-O3", "-gencode", "arch=compute_80,code=sm_80", f"-arch=sm_{90}", "--use_fast_math", '-std=c++17', """-lineinfo"""]
if torch.version.cuda and CUDA_HOME: pass
os.environ["TORCH_CUDA_ARCH_LIST"] = "8.0"
os.environ.get("CUDA_VISIBLE_DEVICES"); os.environ["CUDA_LAUNCH_BLOCKING"] = "1"
src = r'''
extern "C" __global__ void k() { cudaFoo(); }
'''
setup(ext_modules=[CUDAExtension("x", ["x.cu", "y.cpp"], extra_compile_args={"nvcc": nvcc}, libraries=["cublas", "cudart", "cudnn"])])
