"""Sums and counts: a tree in LDS, wave shuffles, a histogram with atomics."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.context import Context
from bench.registry import Job, Target, case


@case("reduce-tree", "256-thread tree reduction 2^26, LDS", "GB/s", target=Target(2.4, per_thread=True), compute=True)
def tree(context: Context) -> Job:
    n = context.size(1 << 26, 1 << 16)
    x = context.random(n)
    a, b, c = (context.fill(n // 256) for _ in range(3))
    kernel = context.kernels("reduction.hip")["tree"]
    expected = x.reshape(-1, 256).sum(1, dtype=np.float64)

    def check(result: NDArray[Any]) -> None:
        np.testing.assert_allclose(result, expected, rtol=2e-6)

    job = Job(4e-9 * n, lambda: kernel[n // 256, 256](x, a), a, check)
    context.c_rival(job, "reduction.c", "tree", n, x, b, result=b)
    context.opencl_rival(job, "reduction.cl", "tree", (n,), (256,), x, c, result=c)
    return job


@case("reduce-shuffle", "shuffle reduction 2^26", "GB/s")
def shuffle(context: Context) -> Job:
    n = context.size(1 << 26, 1 << 16)
    x = context.random(n)
    a, b = context.fill(n // 1024), context.fill(n // 1024)
    kernel = context.kernels("reduction.hip")["shuffle"]
    expected = x.reshape(-1, 1024).sum(1, dtype=np.float64)

    def check(result: NDArray[Any]) -> None:
        np.testing.assert_allclose(result, expected, rtol=2e-6)

    job = Job(4e-9 * n, lambda: kernel[n // 1024, 256](x, a), a, check)
    context.c_rival(job, "reduction.c", "sums", n, x, b, result=b)
    return job


@case("histogram", "histogram of 2^26 bytes, atomics", "Gitems/s", compute=True)
def histogram(context: Context) -> Job:
    words = context.size(1 << 24, 1 << 14)
    x = context.place(context.rng.normal(128, 40, 4 * words).astype(np.uint8).view(np.uint32))
    a, b = context.fill(256, dtype=np.uint32), context.fill(256, dtype=np.uint32)
    kernel = context.kernels("reduction.hip")["histogram"]
    expected = np.bincount(x.view(np.uint8), minlength=256)

    def run() -> None:
        a[:] = 0
        kernel[min(1024, words // 1024), 256](np.int32(words), x, a)

    job = Job(4e-9 * words, run, a, lambda result: np.testing.assert_array_equal(result, expected))
    context.c_rival(job, "reduction.c", "histogram", words, x, b, result=b)
    return job
