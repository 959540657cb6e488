"""The Python API: compile a source, launch its kernels on arrays.

import numpy as np
import softrock

module = softrock.compile('''
extern "C" __global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}''')
x, y = np.ones(1000, np.float32), np.zeros(1000, np.float32)
module.saxpy[4, 256](np.int32(1000), np.float32(2), x, y)
"""

from softrock.hip.python.arrays import Array, array, empty, from_dlpack, zeros
from softrock.hip.python.device_list import Device, devices, set_device, synchronize
from softrock.hip.python.kernels import Kernel, Module, compile, load
from softrock.hip.python.streams import Event, Stream

__all__ = [
    "Array",
    "Device",
    "Event",
    "Kernel",
    "Module",
    "Stream",
    "array",
    "compile",
    "devices",
    "empty",
    "from_dlpack",
    "load",
    "set_device",
    "synchronize",
    "zeros",
]
