"""Softmax of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.context import Context
from bench.registry import Job, case


@case("softmax", "softmax of 8192 rows of 2048", "GB/s", compute=True)
def softmax(context: Context) -> Job:
    rows, columns = context.size(8192, 64), 2048
    x = context.place(4 * context.rng.standard_normal((rows, columns), np.float32))
    y, z = context.fill(rows, columns), context.fill(rows, columns)
    kernel = context.kernels("softmax.hip")["softmax"]
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    expected = (e / e.sum(1, keepdims=True)).astype(np.float32)
    del e

    def check(result: NDArray[Any]) -> None:
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-12)

    job = Job(8e-9 * rows * columns, lambda: kernel[rows, 256](np.int32(columns), x, y), y, check)
    context.c_rival(job, "softmax.c", "softmax", rows, columns, x, z, result=z)
    return job
