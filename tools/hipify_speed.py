"""How fast `softrock hipify` is: lines a second by tokens, files a second parsed, on one core and on all.

    python tools/hipify_speed.py [PATH...]

Without paths it makes sources: a program of 200 lines in 200 copies, with comments, launches and calls as programs have
them. Parsed are 24 of them, once with the headers that are to be compiled first, and once more.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from softrock.hipify import files, run
from softrock.hipify.work import Options

_KERNEL = """
// Adds two vectors: cudaMalloc in a comment is left alone.
__global__ void add_{n}(const float *a, const float *b, float *c, int n)
{{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = __ldg(a + i) + b[i];
}}

static void run_{n}(const float *a, const float *b, float *c, int n, cudaStream_t stream)
{{
    float *d_a, *d_b, *d_c;
    CHECK(cudaMalloc(&d_a, n * sizeof(float)));
    CHECK(cudaMalloc(&d_b, n * sizeof(float)));
    CHECK(cudaMalloc(&d_c, n * sizeof(float)));

    /* to the device */
    CHECK(cudaMemcpyAsync(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyAsync(d_b, b, n * sizeof(float), cudaMemcpyHostToDevice, stream));
    add_{n}<<<(n + 255) / 256, 256, 0, stream>>>(d_a, d_b, d_c, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(c, d_c, n * sizeof(float), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
}}
"""
_HEAD = """#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call) \\
    do { \\
        cudaError_t error = (call); \\
        if (error != cudaSuccess) { \\
            std::fprintf(stderr, "%s\\n", cudaGetErrorString(error)); \\
            std::exit(1); \\
        } \\
    } while (0)
"""


def make(folder: Path, count: int) -> None:
    """Write `count` sources of about 200 lines."""
    text = _HEAD + "".join(_KERNEL.format(n=number) for number in range(7))
    for number in range(count):
        (folder / f"{number}.cu").write_text(f"// source {number}\n{text}")


def measured(paths: Sequence[Path], parse: str, jobs: int) -> str:
    """A line about one run."""
    items, _ = files.collect(paths)
    started, busy = time.perf_counter(), sum(os.times()[:4])
    report = run.run(items, Options(parse=parse), jobs=jobs)
    seconds, busy = time.perf_counter() - started, sum(os.times()[:4]) - busy
    lines = sum(each.lines for each in report.files)
    parsed = sum(each.mode == "parsed" for each in report.files)
    if parse == "never":
        rate = f"{lines / seconds:,.0f} lines/s ({lines / busy:,.0f} a CPU second)"
    else:
        rate = f"{len(items) / seconds:.2f} files/s ({busy / len(items):.2f} CPU seconds a file), {parsed} parsed"
    return f"{len(items)} files, {lines} lines, {jobs} process{'es' * (jobs != 1)}: {seconds:.2f} s, {rate}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--warm", action="store_true", help="leave the cache of compiled headers as it is")
    given = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    with contextlib.ExitStack() as stack:
        paths, few = given.paths, given.paths
        if not paths:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            make(folder, 200)
            paths, few = [folder], [folder / f"{number}.cu" for number in range(24)]
        for jobs in sorted({1, cores}):
            print("tokens:", measured(paths, "never", jobs))
        if not given.warm:
            os.environ["SOFTROCK_CACHE_DIR"] = stack.enter_context(tempfile.TemporaryDirectory())
        print("parsed, first: ", measured(few, "auto", cores))
        print("parsed, second:", measured(few, "auto", cores))


if __name__ == "__main__":
    main()
