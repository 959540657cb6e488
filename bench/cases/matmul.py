"""fp32 matrix products: the naive one (a thread an element) and one through LDS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.context import Context
from bench.registry import Job, Target, case


def product_check(a: NDArray[Any], b: NDArray[Any], rtol: float) -> Callable[[NDArray[Any]], None]:
    """A check against a @ b: 64 rows in double precision, all of it in single; inputs are not negative."""
    n = a.shape[0]
    rows = np.arange(0, n, max(1, n // 64))
    exact = a[rows].astype(np.float64) @ b.astype(np.float64)
    whole = a.astype(np.float32) @ b.astype(np.float32)

    def check(result: NDArray[Any]) -> None:
        np.testing.assert_allclose(result[rows], exact, rtol=rtol)
        np.testing.assert_allclose(result, whole, rtol=2 * rtol)

    return check


@case("matmul-naive", "naive matmul 1024³, fp32", "GFLOP/s", target=Target(1.0, of="C"), compute=True)
def naive(context: Context) -> Job:
    n = context.size(1024, 128)
    a, b = context.random(n, n), context.random(n, n)
    c, d, e = (context.fill(n, n) for _ in range(3))
    kernel = context.kernels("matmul.hip")["naive"]
    job = Job(2e-9 * n**3, lambda: kernel[(n // 64, n), 64](np.int32(n), a, b, c), c, product_check(a, b, 1e-4))
    context.c_rival(job, "matmul.c", "naive", n, a, b, d, result=d)
    context.blas_rival(job, a, b)
    context.opencl_rival(job, "matmul.cl", "naive", (n, n), (64, 1), np.int32(n), a, b, e, result=e)
    return job


@case("matmul-lds", "LDS-tiled matmul 2048³, fp32", "GFLOP/s", compute=True)
def tiled(context: Context) -> Job:
    n = context.size(2048, 128)
    a, b, c, d = context.random(n, n), context.random(n, n), context.fill(n, n), context.fill(n, n)
    kernel = context.kernels("matmul.hip")["tiled"]
    grid, block = (n // 16, n // 16), (16, 16)
    job = Job(2e-9 * n**3, lambda: kernel[grid, block](np.int32(n), a, b, c), c, product_check(a, b, 1e-4))
    context.c_rival(job, "matmul.c", "tiled", n, a, b, d, result=d)
    context.blas_rival(job, a, b)
    return job
