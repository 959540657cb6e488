"""Kernels → native code: lifted, optimised, cached on disk, loaded."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import msgpack

from softrock.codeobj import CodeObject, Kernel
from softrock.core import cache, settings

DYNAMIC_STACK_BYTES = 16384
"""Scratch a lane gets for calls through pointers and recursion, where the compiler cannot tell a bound (HIP's
default stack limit)."""

LARGE = 1000
"""Above this many GPU instructions a kernel takes the short pass pipeline."""

_CACHE_KIND = "code"


@dataclass(slots=True)
class Timings:
    """Seconds spent preparing a kernel."""

    lift: float = 0.0
    llvm: float = 0.0
    load: float = 0.0
    cached: bool = False


@dataclass
class Prepared:
    """A kernel ready to run.

    Attributes:
        fn: host address of ``void kernel(sr_wave *)``.
        calls: host address of the table of functions that may be called by address, or 0.
        fibers: waves wait for one another.
        scratch_lane_bytes: private memory a lane needs.
        code: host address range [low, high) of the code.
    """

    kernel: Kernel
    fn: int
    calls: int
    fibers: bool
    scratch_lane_bytes: int
    code: tuple[int, int]
    timings: Timings
    _object: bytes = field(repr=False)
    _source: CodeObject = field(repr=False)
    _keep: list[Any] = field(default_factory=list, repr=False)

    @cached_property
    def _lines(self) -> list[tuple[int, int]]:
        from softrock.jit.lines import line_map

        return line_map(self._object)

    def gpu_pc(self, host_pc: int) -> int | None:
        """The code-object address of the GPU instruction that a host address was translated from."""
        from softrock.jit.lines import find

        if not self.code[0] <= host_pc < self.code[1]:
            return None
        return find(self._lines, host_pc - self.code[0])

    def explain(self, host_pc: int) -> tuple[int, str] | None:
        """(code-object address, text) of the GPU instruction behind a host address, None where it is not known."""
        address = self.gpu_pc(host_pc)
        return None if address is None else (address, self.text_at(address))

    def text_at(self, address: int) -> str:
        """The GPU instruction at a code-object address as the assembler writes it."""
        from softrock.decode import decode
        from softrock.decode.text import format_instruction
        from softrock.isa import target

        gpu = target(self._source.target)
        for base, data in self._source.text:
            if base <= address < base + len(data):
                return format_instruction(decode(gpu, data, address - base, address), gpu)
        return ""


_locks: dict[str, threading.Lock] = {}
_guard = threading.Lock()


def cache_key(code: CodeObject, kernel: Kernel, layout: str = "any") -> str:
    """What the translation depends on: code, kernel, layout of workgroups, host CPU, level, translator."""
    from softrock import __version__
    from softrock.jit.host import host
    from softrock.lift.version import source_hash

    return cache.key_of(
        code.data,
        kernel.name,
        layout,
        host().key,
        str(settings.load().opt),
        __version__,
        source_hash(),
    )


def _build(code: CodeObject, kernel: Kernel, layout: str, timings: Timings) -> dict[str, Any]:
    from softrock.jit.compile import object_of
    from softrock.jit.host import host
    from softrock.lift.module import lift_kernel

    start = time.perf_counter()
    lifted = lift_kernel(code, kernel, native_gather=host().has("avx512dq"), layout=layout)
    timings.lift = time.perf_counter() - start
    start = time.perf_counter()
    data = object_of(lifted.text, kernel.name, large=lifted.instructions > LARGE)
    timings.llvm = time.perf_counter() - start
    return {
        "object": data,
        "entry": lifted.entry,
        "functions": sorted(lifted.functions.items()),
        "yields": lifted.yields,
    }


@contextlib.contextmanager
def _progress(kernel: str) -> Iterator[None]:
    """Tell a person at a terminal what is going on when a translation takes more than a second."""
    if not os.isatty(2):
        yield
        return
    start = time.monotonic()
    notice = threading.Timer(1.0, lambda: os.write(2, f"softrock: translating kernel {kernel} ...\n".encode()))
    notice.daemon = True
    notice.start()
    try:
        yield
    finally:
        notice.cancel()
        seconds = time.monotonic() - start
        if seconds > 1.0:
            os.write(2, f"softrock: translated in {seconds:.1f} s\n".encode())


def _cached(key: str) -> dict[str, Any] | None:
    body = cache.read(_CACHE_KIND, key)
    if body is None:
        return None
    entry: dict[str, Any] = msgpack.unpackb(body, raw=False, strict_map_key=True)
    return entry


def prepare(
    code: CodeObject, kernel: Kernel, helpers: Mapping[str, int], *, layout: str = "any"
) -> Prepared:
    """Translate a kernel, or take it from the cache, and load it into the process.

    Args:
        helpers: name → host address of the native runtime's functions that translated code calls.
        layout: of the workgroups it will run (:func:`softrock.lift.entry.layout_of`); "any" runs all.

    Raises:
        UnsupportedError: the kernel holds an instruction that is not supported; kernel, address and target are named.
    """
    from softrock.jit.loader import Loaded

    timings = Timings()
    key = cache_key(code, kernel, layout)
    with _guard:
        lock = _locks.setdefault(key, threading.Lock())
    with lock:
        entry = None if settings.load().dump is not None else _cached(key)
        timings.cached = entry is not None
        if entry is None:
            with _progress(kernel.name):
                entry = _build(code, kernel, layout, timings)
            cache.write(_CACHE_KIND, key, msgpack.packb(entry))
    start = time.perf_counter()
    functions: list[tuple[int, str]] = [(a, n) for a, n in entry["functions"]]
    loaded = Loaded(entry["object"], [entry["entry"], *(n for _, n in functions)], helpers)
    timings.load = time.perf_counter() - start
    keep: list[Any] = [loaded]
    calls = 0
    if functions:
        import ctypes

        table = (ctypes.c_uint64 * (1 + 2 * len(functions)))()
        table[0] = len(functions)
        for i, (address, name) in enumerate(functions):
            table[1 + 2 * i], table[2 + 2 * i] = address, loaded.address[name]
        calls = ctypes.addressof(table)
        keep.append(table)
    scratch = kernel.private_segment_size + (DYNAMIC_STACK_BYTES if kernel.uses_dynamic_stack else 0)
    return Prepared(
        kernel,
        loaded.address[entry["entry"]],
        calls,
        entry["yields"],
        scratch,
        loaded.code_range(entry["object"], entry["entry"]),
        timings,
        entry["object"],
        code,
        keep,
    )
