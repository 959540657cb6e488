"""Option prices: exp, log, sqrt and division."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.context import Context
from bench.registry import Job, Target, case

RATE, SIGMA = np.float32(0.02), np.float32(0.3)


def _normal(d: NDArray[Any]) -> NDArray[Any]:
    k = 1 / (1 + 0.2316419 * np.abs(d))
    poly = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.39894228040 * np.exp(-0.5 * d * d) * poly
    return np.asarray(np.where(d > 0, 1 - tail, tail))


def _prices(s: NDArray[Any], k: NDArray[Any], t: NDArray[Any]) -> NDArray[Any]:
    """(call, put) in double precision."""
    rate, sigma = float(RATE), float(SIGMA)
    s, k, t = (v.astype(np.float64) for v in (s, k, t))
    d1 = (np.log(s / k) + (rate + 0.5 * sigma**2) * t) / (sigma * np.sqrt(t))
    n1, n2, present = _normal(d1), _normal(d1 - sigma * np.sqrt(t)), k * np.exp(-rate * t)
    return np.stack([s * n1 - present * n2, present * (1 - n2) - s * (1 - n1)])


def _prepare(context: Context, *options: str) -> Job:
    n = context.size(1 << 23, 1 << 14)
    s, k, t = (context.place(context.rng.uniform(low, high, n).astype(np.float32))
               for low, high in ((5, 30), (1, 100), (0.25, 10)))  # fmt: skip
    ours, theirs = context.fill(2, n), context.fill(2, n)
    kernel = context.kernels("black_scholes.hip", *options)["black_scholes"]
    expected = _prices(s, k, t)

    def check(result: NDArray[Any]) -> None:
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-4)

    run = kernel[(n + 255) // 256, 256]
    job = Job(1e-9 * n, lambda: run(np.int32(n), RATE, SIGMA, s, k, t, ours[0], ours[1]), ours, check)
    context.c_rival(
        job, "black_scholes.c", "black_scholes", n, RATE, SIGMA, s, k, t, theirs[0], theirs[1], result=theirs
    )
    return job


@case("black-scholes", "Black-Scholes 2^23", "Goptions/s", target=Target(1.0, of="C"), compute=True)
def precise(context: Context) -> Job:
    return _prepare(context)


@case(
    "black-scholes-fast", "Black-Scholes 2^23, __expf and kin", "Goptions/s", target=Target(1.0, of="C"), compute=True
)
def fast(context: Context) -> Job:
    return _prepare(context, "-DFAST")
