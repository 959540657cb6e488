"""The Mandelbrot set, whose waves diverge."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.context import Context
from bench.registry import Job, Target, case

MOST = 256


def escape_times(n: int, rows: NDArray[Any]) -> NDArray[Any]:
    """Escape times of some rows, in double precision."""
    x = -2.0 + 2.5 * np.arange(n) / n
    y = -1.25 + 2.5 * rows / n
    c = x[None, :] + 1j * y[:, None]
    z = np.zeros_like(c)
    count = np.zeros(c.shape, np.int32)
    alive = np.ones(c.shape, bool)
    for _ in range(MOST):
        alive &= z.real**2 + z.imag**2 <= 4.0
        count += alive
        z = np.where(alive, z * z + c, z)
    return count


@case("mandelbrot", "Mandelbrot 2048², 256 steps", "Gsteps/s", target=Target(1.0, of="C"), compute=True)
def mandelbrot(context: Context) -> Job:
    n = context.size(2048, 128)
    a, b = context.fill(n, n, dtype=np.int32), context.fill(n, n, dtype=np.int32)
    kernel = context.kernels("mandelbrot.hip")["mandelbrot"]
    rows = np.arange(3, n, max(1, n // 32))
    expected = escape_times(n, rows)
    whole = escape_times(512, np.arange(512))

    def check(result: NDArray[Any]) -> None:
        # Single precision decides differently near the border only: few pixels, and few steps in sum.
        wrong = (result[rows] != expected).mean()
        assert wrong < 0.01, f"{wrong:.1%} of the pixels differ"
        steps, right = result[rows].mean(), expected.mean()
        assert abs(steps / right - 1) < 0.005, f"{steps:.2f} steps a pixel, expected {right:.2f}"

    work = 1e-9 * n * n * float(whole.mean())
    job = Job(work, lambda: kernel[(n // 64, n), 64](np.int32(n), np.int32(MOST), a), a, check)
    context.c_rival(job, "mandelbrot.c", "mandelbrot", n, MOST, b, result=b, defines={"STRIP": context.wave})
    return job
