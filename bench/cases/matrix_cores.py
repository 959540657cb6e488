"""fp16 products on the matrix cores: MFMA on CDNA, WMMA on RDNA."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.cases.matmul import product_check
from bench.context import Context
from bench.registry import Job, Target, case

TILE = {"gfx942": (128, 256), "gfx1100": (64, 128)}
"""Side of a block's tile and its threads."""


def _prepare(context: Context) -> Job:
    n = context.size(2048, 128)
    a, b = context.random(n, n, dtype=np.float16), context.random(n, n, dtype=np.float16)
    c = context.fill(n, n)
    tile, threads = TILE[context.gpu]
    bound: Any = context.kernels("matrix_cores.hip")["matmul"][(n // tile, n // tile), threads]
    # The sums of matrix instructions may be taken in another order, hence a bound and no equality.
    job = Job(2e-9 * n**3, lambda: bound(np.int32(n), a, b, c), c, product_check(a, b.T, 1e-4))
    context.blas_rival(job, context.place(a.astype(np.float32)), context.place(b.astype(np.float32)).T)
    return job


@case("mfma", "MFMA matmul 2048³, fp16", "GFLOP/s", target=Target(0.5, of="OpenBLAS"), gpus=["gfx942"], compute=True)
def mfma(context: Context) -> Job:
    return _prepare(context)


@case("wmma", "WMMA matmul 2048³, fp16", "GFLOP/s", target=Target(0.5, of="OpenBLAS"), gpus=["gfx1100"], compute=True)
def wmma(context: Context) -> Job:
    return _prepare(context)
