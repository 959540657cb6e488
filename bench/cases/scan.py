"""Sums along an array in one pass over many workgroups."""

from __future__ import annotations

import numpy as np

from bench.context import Context
from bench.registry import Job, case


@case("scan", "scan of 2^26, decoupled look-back", "GB/s")
def scan(context: Context) -> Job:
    n = context.size(1 << 26, 1 << 16)
    x = context.place(context.rng.integers(-100, 101, n, np.int32))
    y, z = context.fill(n, dtype=np.int32), context.fill(n, dtype=np.int32)
    blocks = n // 1024
    state = context.fill(1 + blocks, dtype=np.uint64)
    kernel = context.kernels("scan.hip")["scan"]
    expected = np.cumsum(x, dtype=np.int32)

    def run() -> None:
        state[:] = 0
        kernel[blocks, 256](x, y, state)

    job = Job(8e-9 * n, run, y, lambda result: np.testing.assert_array_equal(result, expected))
    context.c_rival(job, "scan.c", "scan", n, x, z, result=z)
    return job
