"""How LLVM's time grows with a kernel's size: ``python tools/compile_growth.py [--gpu gfx942] [--uncut]``.

Prints processor time of a quick and a full translation of straight-line register-tile products of 2,000 to 20,000
instructions. ``SOFTROCK_HOST_CPU=x86-64-v3`` measures code for hosts without AVX-512; ``--uncut`` shows what it would
be if large functions were not cut into pieces (docs/compile-cost.md).
"""

from __future__ import annotations

import argparse
import sys
import time

from softrock.codeobj import load
from softrock.compiler.device import compile_device
from softrock.jit.build import Timings, build
from softrock.lift import pieces

SOURCE = """
#include <hip/hip_runtime.h>
constexpr int T = 12;
extern "C" __global__ void product(const float *a, const float *b, float *c, int n) {
    float sum[T][T] = {};
#pragma unroll
    for (int k = 0; k < STEPS; k++) {
        float x[T], y[T];
#pragma unroll
        for (int i = 0; i < T; i++) x[i] = a[k * n + threadIdx.x * T + i], y[i] = b[k * n + threadIdx.y * T + i];
#pragma unroll
        for (int i = 0; i < T; i++)
#pragma unroll
            for (int j = 0; j < T; j++) sum[i][j] += x[i] * y[j] * (i + 1);
    }
#pragma unroll
    for (int i = 0; i < T; i++)
#pragma unroll
        for (int j = 0; j < T; j++) c[(i * T + j) * n + threadIdx.x + threadIdx.y * 64] = sum[i][j];
}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--gpu", default="gfx942")
    parser.add_argument("--uncut", action="store_true", help="translate large functions whole")
    asked = parser.parse_args()
    if asked.uncut:
        pieces.ABOVE = sys.maxsize
    print("instructions  tier    lift s  LLVM s  LLVM ms/instruction")
    for steps in (4, 8, 16, 32, 64):
        code = load(compile_device(SOURCE, asked.gpu, [f"-DSTEPS={steps}"], name="product.hip").code, "product.hip")
        for tier in ("quick", "full"):
            spent = Timings()
            start = time.process_time()
            build(code, code.kernels["product"], "any", tier, spent)
            llvm = time.process_time() - start - spent.lift - spent.decode
            size = spent.instructions
            print(f"{size:12,}  {tier:6}  {spent.lift:6.2f}  {llvm:6.2f}  {1e3 * llvm / size:.2f}", flush=True)


if __name__ == "__main__":
    main()
