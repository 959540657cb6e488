"""Sparse matrix times vector: gathers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.context import Context
from bench.registry import Job, case


@case("spmv", "SpMV (CSR), 2^18 rows of 16-48", "GFLOP/s")
def spmv(context: Context) -> Job:
    rows = context.size(1 << 18, 1 << 10)
    lengths = context.rng.integers(16, 49, rows)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    start = context.place(starts)
    count = int(starts[-1])
    column = context.place(context.rng.integers(0, rows, count, np.int32))
    value, x = context.random(count), context.random(rows)
    y, z = context.fill(rows), context.fill(rows)
    kernel = context.kernels("spmv.hip")["spmv"]
    expected = np.add.reduceat(value.astype(np.float64) * x[column], starts[:-1])

    def check(result: NDArray[Any]) -> None:
        np.testing.assert_allclose(result, expected, rtol=1e-5)

    run = kernel[(rows + 255) // 256, 256]
    job = Job(2e-9 * count, lambda: run(np.int32(rows), start, column, value, x, y), y, check)
    context.c_rival(job, "spmv.c", "spmv", rows, start, column, value, x, z, result=z)
    return job
