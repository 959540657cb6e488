"""Costs of translating a kernel of about 2,000 instructions (SHA-256, unrolled): LLVM, the first launch, the cache."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time

import numpy as np

from bench.context import CASES, Context
from bench.registry import Cost, Target, case


def _nonce() -> int:
    """A number that makes the kernel a new one, which no cache holds."""
    return int.from_bytes(os.urandom(4), "little")


def _launch(context: Context, nonce: int) -> float:
    """Seconds of the first launch of a freshly loaded module, with its end waited for.

    Raises:
        AssertionError: the hashes are wrong.
    """
    out = context.fill(64, 8, dtype=np.uint32)
    kernel = context.kernels("sha256.hip", f"-DNONCE={nonce}u")["sha256"]
    start = time.perf_counter()
    kernel[1, 64](out)
    took = time.perf_counter() - start
    for i in (0, 1, 63):
        message = i.to_bytes(4, "big") + nonce.to_bytes(4, "big")
        assert out[i].astype(">u4").tobytes() == hashlib.sha256(message).digest()
    return took


def _first(context: Context) -> float:
    """Seconds of a first launch in a new process, so that no other translation is under way."""
    code = "import sys; from bench.cases import translate; translate.report_first(sys.argv[1], int(sys.argv[2]))"
    command = [sys.executable, "-c", code, context.gpu, str(_nonce())]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def report_first(gpu: str, nonce: int) -> None:
    """Print what a first launch takes, LLVM's own start included."""
    print(_launch(Context(gpu, 1), nonce))


@case("first-launch", "first launch, 2,000 instructions", "s", target=Target(at_most=2.0), cost=True, once=True)
def first_launch(context: Context) -> Cost:
    return Cost(lambda repeat: [_first(context) for _ in range(repeat)])


@case("cached-launch", "the same from the cache", "s", target=Target(at_most=0.02), cost=True, once=True)
def cached_launch(context: Context) -> Cost:
    nonce = _nonce()
    _launch(context, nonce)
    return Cost(lambda repeat: [_launch(context, nonce) for _ in range(repeat)])


@case("llvm", "LLVM, 2,000 instructions, until it runs", "s", target=Target(at_most=2.0), cost=True, once=True)
def llvm_waited(context: Context) -> Cost:
    return _llvm(context, "auto")


@case("llvm-full", "LLVM, 2,000 instructions, full version", "s", cost=True, once=True)
def llvm_full(context: Context) -> Cost:
    return _llvm(context, "full")


def _llvm(context: Context, tier: str) -> Cost:
    from softrock.codeobj import load
    from softrock.compiler.device import compile_device
    from softrock.jit.build import Timings, build

    options = ["-include", "hip/hip_runtime.h", f"-DNONCE={_nonce()}u"]
    built = compile_device((CASES / "sha256.hip").read_text(), context.gpu, options, name="sha256.hip")
    code = load(built.code, "sha256.hip")

    def once() -> Timings:
        timings = Timings()
        build(code, code.kernels["sha256"], "any", tier, timings)
        return timings

    first = once()  # loads LLVM
    note = f"{first.instructions} instructions, {first.tier} version"
    return Cost(lambda repeat: [t.passes + t.codegen for t in (once() for _ in range(repeat))], note)
