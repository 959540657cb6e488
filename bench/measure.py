"""Clocks and samples."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

ENOUGH = 0.05
"""Seconds that a sample should take at least; short work is repeated inside the sample."""

SETTLE = 0.005
"""Seconds of rest before a sample, in which the waiting threads of the one before stop spinning."""


def seconds(run: Callable[[], object], inner: int, cpu: bool, threads: int) -> float:
    """Time of one of `inner` runs: wall clock, or the process's CPU time spread over its threads."""
    time.sleep(SETTLE)
    clock = time.process_time if cpu else time.perf_counter
    start = clock()
    for _ in range(inner):
        run()
    return (clock() - start) / inner / (threads if cpu else 1)


def interleaved(
    runs: Sequence[Callable[[], object]], repeat: int, *, cpu: bool, threads: int, enough: float = ENOUGH
) -> list[list[float]]:
    """Seconds a run, `repeat` samples for each of `runs`, taken in turn so that all meet the same conditions."""
    inner = []
    for run in runs:
        start = time.perf_counter()
        run()
        inner.append(max(1, math.ceil(enough / max(time.perf_counter() - start, 1e-7))))
    out: list[list[float]] = [[] for _ in runs]
    for _ in range(repeat):
        for index, run in enumerate(runs):
            out[index].append(seconds(run, inner[index], cpu, threads))
    return out
