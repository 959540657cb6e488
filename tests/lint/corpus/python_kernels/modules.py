import pycuda.driver
#      ^~~~~~~~~~~~~ warning python-cuda-module
import subprocess
from numba import cuda, njit
#                 ^~~~ warning python-cuda-module
import cupy, pynvml
#            ^~~~~~ warning python-cuda-module
from .cuda import kernels
import cudaless

subprocess.run(["nvidia-smi", "-q"], check=True)
#               ^~~~~~~~~~~~ warning python-cuda-module
print("nvidia-smi is not called here")
