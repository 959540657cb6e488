"""All-pairs gravity."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.context import Context
from bench.registry import Job, Target, case


@case("nbody", "n-body 16384", "Ginter/s", target=Target(0.95, of="C"), compute=True)
def nbody(context: Context) -> Job:
    n = context.size(16384, 512)
    p = context.random(n, 4)
    f, g, h = (context.fill(n, 4) for _ in range(3))
    kernel = context.kernels("nbody.hip")["nbody"]
    some = np.arange(0, n, max(1, n // 64))
    delta = p[None, :, :3].astype(np.float64) - p[some, None, :3]
    inverse = 1 / np.sqrt((delta**2).sum(-1) + 1e-3)
    expected = (delta * (p[None, :, 3:] * (inverse**3)[..., None])).sum(1)

    def check(result: NDArray[Any]) -> None:
        np.testing.assert_allclose(result[some, :3], expected, rtol=2e-3, atol=1e-5 * n)

    job = Job(1e-9 * n * n, lambda: kernel[n // 64, 64](np.int32(n), p, f), f, check)
    context.c_rival(job, "nbody.c", "nbody", n, p, g, result=g)
    context.opencl_rival(job, "nbody.cl", "nbody", (n,), (64,), np.int32(n), p, h, result=h)
    return job
