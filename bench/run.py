"""Measure translated kernels beside the same loops in C, in one run.

    python bench/run.py [--gpu gfx942] [--threads 1] [--repeat 7] [--json FILE]

Prints medians with minimum and maximum. Inputs hold random data before the clock starts; every result is checked
against NumPy. With one thread the process is pinned to one CPU.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


@dataclass
class Figure:
    """One measured case: median, minimum and maximum of the rate."""

    case: str
    who: str
    unit: str
    median: float
    low: float
    high: float


def rates(work: float, run: Callable[[], None], repeat: int) -> tuple[float, float, float]:
    """(median, low, high) of work per nanosecond."""
    run()
    seen = []
    for _ in range(repeat):
        start = time.perf_counter_ns()
        run()
        seen.append(work / (time.perf_counter_ns() - start))
    return statistics.median(seen), min(seen), max(seen)


def native(threads: int) -> ctypes.CDLL | None:
    """The C loops compiled by the machine's own compiler, or None where it has none."""
    compiler = shutil.which("gcc") or shutil.which("cc") or shutil.which("clang")
    if compiler is None:
        return None
    folder = Path(tempfile.mkdtemp())
    library = folder / "native.so"
    flags = ["-O3", "-march=native", "-ffast-math", "-fopenmp-simd" if threads == 1 else "-fopenmp", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, str(HERE / "native.c"), "-o", str(library), "-lm"], check=True)
    return ctypes.CDLL(str(library))


def measure(gpu: str, threads: int, repeat: int) -> list[Figure]:
    """All figures for one GPU model and number of threads."""
    os.environ["SOFTROCK_GPUS"], os.environ["SOFTROCK_THREADS"] = gpu, str(threads)
    os.environ["OMP_NUM_THREADS"] = str(threads)
    if threads == 1 and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    import softrock

    module = softrock.compile((HERE / "kernels.hip").read_text(), options=["-ffp-contract=fast"])
    clib = native(threads)
    out: list[Figure] = []

    def add(case: str, unit: str, work: float, ours: Callable[[], None], theirs: Callable[[], None] | None) -> None:
        out.append(Figure(case, f"softrock {gpu}", unit, *rates(work, ours, repeat)))
        if theirs is not None:
            out.append(Figure(case, "C, same blocking", unit, *rates(work, theirs, repeat)))

    rng = np.random.default_rng(1)
    n = 1024
    a, b = (rng.random((n, n), np.float32) for _ in range(2))
    c, d = np.zeros((n, n), np.float32), np.zeros((n, n), np.float32)
    pointer = [ctypes.c_void_p(v.ctypes.data) for v in (a, b, d)]
    add(
        "naive matmul 1024³",
        "GFLOP/s",
        2.0 * n**3,
        lambda: module["matmul"][(n // 64, n), 64](np.int32(n), a, b, c),
        None if clib is None else lambda: clib.matmul(n, *pointer),
    )
    np.testing.assert_allclose(c, a @ b, rtol=1e-4)
    bodies = 8192
    p = rng.random((bodies, 4), np.float32)
    f, g = np.zeros_like(p), np.zeros_like(p)
    pair = [ctypes.c_void_p(v.ctypes.data) for v in (p, g)]
    add(
        "8192-body",
        "Ginter/s",
        float(bodies) ** 2,
        lambda: module["nbody"][bodies // 64, 64](np.int32(bodies), p, f),
        None if clib is None else lambda: clib.nbody(bodies, *pair),
    )
    delta = p[None, :, :3].astype(np.float64) - p[:64, None, :3]
    inverse = 1 / np.sqrt((delta**2).sum(-1) + 1e-3)
    expected = (delta * (p[None, :, 3:] * (inverse**3)[..., None])).sum(1)
    np.testing.assert_allclose(f[:64, :3], expected, rtol=2e-3, atol=1e-2)
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--gpu", default="gfx942")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    figures = measure(args.gpu, args.threads, args.repeat)
    host = platform.processor() or platform.machine()
    print(f"{args.threads} thread(s), {host}, median of {args.repeat} (low to high)")
    for each in figures:
        print(f"{each.case:20} {each.who:18} {each.median:8.2f} {each.unit}  ({each.low:.2f} to {each.high:.2f})")
    if args.json:
        args.json.write_text(json.dumps([asdict(each) for each in figures], indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
