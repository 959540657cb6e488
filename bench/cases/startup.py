"""Costs of starting: imports, the command, memory, translation."""

from __future__ import annotations

import os
import subprocess
import sys
import time

from bench.context import Context
from bench.registry import Cost, Target, case

SAXPY = """
import numpy as np, softrock
n = 1 << 20
x, y = np.full(n, 3, np.float32), np.full(n, 1, np.float32)
module = softrock.compile('''
extern "C" __global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}''')
module.saxpy[(n + 255) // 256, 256](np.int32(n), np.float32(2), x, y)
assert (y == 7).all()
"""


def _python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def wall(command: list[str]) -> float:
    """Seconds that a command takes from start to end.

    Raises:
        subprocess.CalledProcessError: it failed.
    """
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def resident(command: list[str], **environment: str) -> float:
    """Peak resident memory of a command's process, in MB of 10⁶ bytes.

    Raises:
        RuntimeError: it failed.
    """
    process = subprocess.Popen(command, env={**os.environ, **environment})
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command[0]} ended with {process.returncode}")
    return usage.ru_maxrss * 1024 / 1e6


def _imports(statement: str) -> Cost:
    code = f"import time; start = time.perf_counter(); {statement}; print(time.perf_counter() - start)"

    def once() -> float:
        return float(subprocess.run(_python(code), check=True, capture_output=True, text=True).stdout)

    once()  # fills the page cache and writes the .pyc files
    return Cost(lambda repeat: [once() for _ in range(repeat)])


@case("import", "import softrock", "s", target=Target(at_most=0.25), cost=True, once=True)
def import_softrock(context: Context) -> Cost:
    return _imports("import softrock")


@case("import-api", "import softrock and its Python API", "s", target=Target(at_most=0.25), cost=True, once=True)
def import_api(context: Context) -> Cost:
    return _imports("import softrock; softrock.compile, softrock.array")


@case("help", "softrock --help", "s", target=Target(at_most=0.3), cost=True, once=True)
def help_text(context: Context) -> Cost:
    command = [sys.executable, "-m", "softrock.cli", "--help"]
    wall(command)
    return Cost(lambda repeat: [wall(command) for _ in range(repeat)])


def _memory(**environment: str) -> Cost:
    resident(_python(SAXPY))  # whatever is built once for an installation

    def once() -> float:
        return resident(_python(SAXPY), **environment) - resident(_python("pass"))

    return Cost(lambda repeat: [once() for _ in range(repeat)], "8.4 MB of them are the arrays")


@case("memory", "memory of a saxpy run, cached", "MB", target=Target(at_most=250), cost=True, once=True)
def memory_cached(context: Context) -> Cost:
    return _memory()


@case("memory-cold", "memory of a saxpy run, translated", "MB", target=Target(at_most=250), cost=True, once=True)
def memory_cold(context: Context) -> Cost:
    return _memory(SOFTROCK_NO_CACHE="1")
