"""One translation: a kernel lifted and compiled, as an entry of the code cache."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import msgpack

from softrock.codeobj import CodeObject, Kernel
from softrock.core import cache, settings
from softrock.lift.layout import most_in_column

LARGE = 1000
"""Above this many GPU instructions a kernel takes the short pass pipeline."""

KIND = "code"
"""The cache's folder of translations."""

SLOW_S = 0.3
"""A full translation that is expected to take longer than this is preceded by a quick one."""

_COST_US = {True: 500.0, False: 1500.0}
"""LLVM's time for a GPU instruction and a host register of its lanes; True: the host has AVX-512 (measured on Triton's
and llama.cpp's kernels, see docs/compile-cost.md)."""


@dataclass(slots=True)
class Timings:
    """Seconds spent preparing a kernel.

    Attributes:
        decode, lift: finding and decoding the instructions; translating them to LLVM IR.
        passes, codegen: LLVM's passes (with reading the IR), and its code generator.
        load: into the process. wait: for another process that translated the same.
        cached: it came from the cache. instructions: of the GPU (0 where it came from the cache).
        tier: ``full`` or ``quick``.
    """

    decode: float = 0.0
    lift: float = 0.0
    passes: float = 0.0
    codegen: float = 0.0
    load: float = 0.0
    wait: float = 0.0
    cached: bool = False
    instructions: int = 0
    tier: str = "full"


def key_of(code: CodeObject, kernel: Kernel, layout: str, tier: str) -> str:
    """What a translation depends on: code, kernel, layout of workgroups, tier, host CPU, level, translator."""
    from softrock import __version__
    from softrock.jit.host import host
    from softrock.lift.version import source_hash

    return cache.key_of(
        code.data,
        kernel.name,
        layout,
        tier,
        host().key,
        str(settings.load().opt),
        __version__,
        source_hash(),
    )


def is_slow(instructions: int, lanes: int) -> bool:
    """Whether a full translation is expected to take longer than a user would like to wait."""
    from softrock.jit.host import host

    wide = host().has("avx512f")
    registers = lanes * 32 // (512 if wide else 256)
    return instructions * registers * _COST_US[wide] * 1e-6 > SLOW_S


def most_rows(code: CodeObject, kernel: Kernel) -> int:
    """How many workgroups of a column should run together at most (:mod:`softrock.lift.columns`), by the cache or by
    decoding the kernel."""
    from softrock.jit.host import host

    if not host().has("fma"):  # a product and sum is a call there, across which nothing stays in registers
        return 1
    key = key_of(code, kernel, "rows", "any")
    entry = stored(key)
    if entry is None:
        from softrock.lift.module import ModuleLifter

        entry = {"rows": ModuleLifter(code, kernel, host().has("avx512dq")).most_rows()}
        store(key, entry)
    return int(entry["rows"])


def rows_together(kernel: Kernel, most: int, layout: str, rows: int) -> int:
    """How many workgroups of a column run together.

    Args:
        most: what :func:`most_rows` gave for the kernel.
        layout: of the workgroups.
        rows: workgroups of a column that may, a power of two.
    """
    from softrock.jit.host import host

    lanes = kernel.wavefront_size
    registers = lanes * 32 // (512 if host().has("avx512f") else 256)
    return min(rows, most, most_in_column(layout, lanes, registers))


def build(code: CodeObject, kernel: Kernel, layout: str, tier: str, timings: Timings) -> dict[str, Any]:
    """Translate a kernel.

    Args:
        tier: ``full``, ``quick``, or ``auto`` for whichever :func:`is_slow` asks for.
        timings: gets what it took and which tier it is.

    Raises:
        UnsupportedError: it holds an instruction that is not supported.
    """
    from softrock.jit.compile import object_of
    from softrock.jit.host import host
    from softrock.lift.module import ModuleLifter

    start = time.perf_counter()
    lifter = ModuleLifter(code, kernel, host().has("avx512dq"), layout)
    timings.instructions = lifter.discover()
    timings.decode = time.perf_counter() - start
    start = time.perf_counter()
    quick = tier == "quick" or (tier == "auto" and is_slow(timings.instructions, kernel.wavefront_size))
    timings.tier = "quick" if quick else "full"
    lifted = lifter.lift(quick=quick)
    timings.lift = time.perf_counter() - start
    data = object_of(lifted.text, kernel.name, large=lifted.instructions > LARGE, quick=quick, timings=timings)
    return {
        "object": data,
        "entry": lifted.entry,
        "functions": sorted(lifted.functions.items()),
        "yields": lifted.yields,
    }


def stored(key: str) -> dict[str, Any] | None:
    """A translation from the cache."""
    body = cache.read(KIND, key)
    if body is None:
        return None
    entry: dict[str, Any] = msgpack.unpackb(body, raw=False, strict_map_key=True)
    return entry


def store(key: str, entry: dict[str, Any]) -> None:
    """Put a translation into the cache."""
    cache.write(KIND, key, msgpack.packb(entry))
