"""Costs of launches: from Python, from C++ through our libamdhip64, in graphs."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.context import CASES, Context
from bench.registry import Cost, Target, case

COUNT = 10_000


def program(context: Context, mode: str, count: int) -> Cost:
    """A mode of launch.hip, built by our hipcc and run as a program of its own."""

    def samples(repeat: int) -> list[float]:
        with tempfile.TemporaryDirectory() as folder:
            built = Path(folder) / "launch"
            source = str(CASES / "launch.hip")
            build = [sys.executable, "-m", "softrock.cli", "build", source, "-O3", "-o", str(built)]
            subprocess.run([*build, f"--offload-arch={context.gpu}"], check=True)
            run = [str(built), mode, str(repeat), str(count)]
            done = subprocess.run(run, check=False, capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(f"launch {mode} ended with {done.returncode}: {done.stderr.strip()}")
        found = [float(line) for line in done.stdout.split()]
        assert len(found) == repeat
        return found

    return Cost(samples)


@case("launch-c", "empty kernel, enqueue from C++", "µs", target=Target(at_most=5), cost=True, once=True)
def enqueue_c(context: Context) -> Cost:
    return program(context, "enqueue", context.size(COUNT, 100))


@case("launch-sync-c", "empty kernel, launch + sync from C++", "µs", target=Target(at_most=50), cost=True, once=True)
def sync_c(context: Context) -> Cost:
    return program(context, "sync", context.size(1000, 10))


@case("graph-node", "graph replay, a node of a chain", "µs", target=Target(at_most=1.5), cost=True, once=True)
def graph(context: Context) -> Cost:
    return program(context, "graph", context.size(1000, 50))


@case("launch-python", "empty kernel, enqueue from Python", "µs", target=Target(at_most=12), cost=True, once=True)
def enqueue_python(context: Context) -> Cost:
    return _from_python(context.size(COUNT, 100), each=False)


@case(
    "launch-sync-python",
    "empty kernel, launch + sync from Python",
    "µs",
    target=Target(at_most=50),
    cost=True,
    once=True,
)
def sync_python(context: Context) -> Cost:
    return _from_python(context.size(1000, 10), each=True)


def _from_python(count: int, each: bool) -> Cost:
    import softrock

    launch = softrock.compile('extern "C" __global__ void empty() {}')["empty"][1, 64]
    wait = softrock.synchronize
    launch()
    wait()

    def samples(repeat: int) -> list[float]:
        out = []
        for _ in range(repeat):
            start = time.perf_counter()
            for _ in range(count):
                launch()
                if each:
                    wait()
            out.append((time.perf_counter() - start) / count * 1e6)
            wait()
        return out

    return Cost(samples)
