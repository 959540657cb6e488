from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension
setup(ext_modules=[CUDAExtension("x", ["x.cu"], extra_compile_args={"nvcc": ["-O3", "-gencode=arch=compute_70,code=sm_70", "--use_fast_math"]})])
