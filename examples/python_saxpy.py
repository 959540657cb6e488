"""The Python API: compile a kernel from a string and launch it on NumPy arrays and on arrays in device memory.

    python examples/python_saxpy.py
"""

import sys

import numpy as np

import softrock

SOURCE = """
extern "C" __global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
"""


def main() -> int:
    n = 1_000_000
    rng = np.random.default_rng(1)
    x, y = rng.random(n, np.float32), rng.random(n, np.float32)
    expected = np.float32(2) * x + y

    saxpy = softrock.compile(SOURCE).saxpy
    grid, block = (n + 255) // 256, 256

    # Arrays in device memory: launches are asynchronous, numpy() waits and copies.
    device_x, device_y = softrock.array(x), softrock.array(y)
    saxpy[grid, block](np.int32(n), np.float32(2), device_x, device_y)

    # NumPy arrays are used in place on the software GPU; such a launch waits for the kernel.
    saxpy[grid, block](np.int32(n), np.float32(2), x, y)

    device = softrock.devices()[0]
    good = np.allclose(y, expected) and np.array_equal(device_y.numpy(), y)
    print(f"saxpy of {n} elements on {device.name}: {'PASSED' if good else 'FAILED'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
