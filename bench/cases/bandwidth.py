"""What the memory bounds: vector add, triad (as in STREAM), transpose through LDS."""

from __future__ import annotations

import numpy as np

from bench.context import Context
from bench.registry import Job, Target, case

SCALE = np.float32(1.5)


@case("add", "vector add 2^26", "GB/s", target=Target(0.9, of="C"))
def add(context: Context) -> Job:
    n = context.size(1 << 26, 1 << 16)
    a, b, c, d = context.random(n), context.random(n), context.fill(n), context.fill(n)
    kernel = context.kernels("bandwidth.hip")["add"]
    job = Job(
        12e-9 * n,
        lambda: kernel[(n + 255) // 256, 256](np.int32(n), a, b, c),
        c,
        lambda result: np.testing.assert_array_equal(result, a + b),
    )
    context.c_rival(job, "bandwidth.c", "add", n, a, b, d, result=d)
    return job


@case("triad", "triad 2^26", "GB/s", target=Target(0.9, of="C"))
def triad(context: Context) -> Job:
    n = context.size(1 << 26, 1 << 16)
    a, b, c, d = context.random(n), context.random(n), context.fill(n), context.fill(n)
    kernel = context.kernels("bandwidth.hip")["triad"]
    job = Job(
        12e-9 * n,
        lambda: kernel[(n + 255) // 256, 256](np.int32(n), SCALE, a, b, c),
        c,
        lambda result: np.testing.assert_allclose(result, a + SCALE * b, rtol=3e-7),
    )
    context.c_rival(job, "bandwidth.c", "triad", n, SCALE, a, b, d, result=d)
    return job


@case("transpose", "transpose 8192² through LDS", "GB/s")
def transpose(context: Context) -> Job:
    n = context.size(8192, 256)
    a, b, c = context.random(n, n), context.fill(n, n), context.fill(n, n)
    kernel = context.kernels("bandwidth.hip")["transpose"]
    job = Job(
        8e-9 * n * n,
        lambda: kernel[(n // 32, n // 32), (32, 8)](np.int32(n), a, b),
        b,
        lambda result: np.testing.assert_array_equal(result, a.T),
    )
    context.c_rival(job, "bandwidth.c", "transpose", n, a, c, result=c)
    return job
