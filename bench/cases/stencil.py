"""A 5-point stencil in two dimensions."""

from __future__ import annotations

import numpy as np

from bench.context import Context
from bench.registry import Job, Target, case


@case("stencil", "5-point stencil 8192²", "Gcells/s", target=Target(1.0, of="C"))
def stencil(context: Context) -> Job:
    n = context.size(8192, 256)
    x, y, z = context.random(n, n), context.fill(n, n), context.fill(n, n)
    centre, side = np.float32(0.5), np.float32(0.125)
    kernel = context.kernels("stencil.hip")["stencil"]
    expected = x.copy()
    inner = x[1:-1, :-2] + x[1:-1, 2:] + x[:-2, 1:-1] + x[2:, 1:-1]
    expected[1:-1, 1:-1] = centre * x[1:-1, 1:-1] + side * inner
    job = Job(
        1e-9 * n * n,
        lambda: kernel[(n // 64, n // 4), (64, 4)](np.int32(n), centre, side, x, y),
        y,
        lambda result: np.testing.assert_allclose(result, expected, rtol=1e-6),
    )
    context.c_rival(job, "stencil.c", "stencil", n, centre, side, x, z, result=z)
    return job
