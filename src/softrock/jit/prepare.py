"""Kernels → native code: lifted, optimised, cached on disk, loaded."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from softrock.codeobj import CodeObject, Kernel
from softrock.core import cache, settings
from softrock.jit.build import KIND, Timings, build, key_of, store, stored

DYNAMIC_STACK_BYTES = 16384
"""Scratch a lane gets for calls through pointers and recursion, where the compiler cannot tell a bound (HIP's
default stack limit)."""


@dataclass
class Prepared:
    """A kernel ready to run.

    Attributes:
        fn: host address of ``void kernel(sr_wave *)``.
        calls: host address of the table of functions that may be called by address, or 0.
        fibers: waves wait for one another.
        scratch_lane_bytes: private memory a lane needs.
        code: host address range [low, high) of the code.
        older: the translation that this one replaces; launches may still run it.
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
    older: Prepared | None = field(default=None, repr=False)

    @cached_property
    def _lines(self) -> list[tuple[int, int]]:
        from softrock.jit.lines import line_map

        return line_map(self._object)

    def gpu_pc(self, host_pc: int) -> int | None:
        """The code-object address of the GPU instruction that a host address was translated from."""
        from softrock.jit.lines import find

        if not self.code[0] <= host_pc < self.code[1]:
            return None if self.older is None else self.older.gpu_pc(host_pc)
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


WAIT_S = 60.0
"""How long to wait for another process that translates the same kernel."""


def prepare(
    code: CodeObject,
    kernel: Kernel,
    helpers: Mapping[str, int],
    *,
    layout: str = "any",
    better: Callable[[Prepared], None] | None = None,
) -> Prepared:
    """Translate a kernel, or take it from the cache, and load it into the process.

    Args:
        helpers: name → host address of the native runtime's functions that translated code calls.
        layout: of the workgroups it will run (:func:`softrock.lift.entry.layout_of`); "any" runs all.
        better: where the result is a quick translation, the full one is made in the background, and this is called
            with it in another thread. None: only a full translation will do, unless SOFTROCK_TIER=quick.

    Raises:
        UnsupportedError: the kernel holds an instruction that is not supported; kernel, address and target are named.
    """
    timings = Timings()
    tier = settings.load().tier
    if tier == "auto" and (better is None or settings.load().dump is not None):
        tier = "full"
    keys = {each: key_of(code, kernel, layout, each) for each in ("full", "quick")}
    wanted = {"auto": ("full", "quick"), "full": ("full",), "quick": ("quick",)}[tier]
    with _guard:
        lock = _locks.setdefault(keys[wanted[-1]], threading.Lock())
    with lock:
        entry = None if settings.load().dump is not None else _cached(keys, wanted, timings)
        if entry is None:
            start = time.perf_counter()
            with cache.building(KIND, keys[wanted[-1]], WAIT_S):
                timings.wait = time.perf_counter() - start
                entry = None if settings.load().dump is not None else _cached(keys, wanted, timings)
                if entry is None:
                    with _progress(kernel.name):
                        entry = build(code, kernel, layout, tier, timings)
                    store(keys[timings.tier], entry)
    ready = _load(code, kernel, entry, helpers, timings)
    if timings.tier == "quick" and tier == "auto" and better is not None:
        _improve(code, kernel, layout, keys, helpers, better)
    return ready


def _cached(keys: Mapping[str, str], wanted: tuple[str, ...], timings: Timings) -> dict[str, Any] | None:
    """The best translation that the cache has."""
    for tier in wanted:
        entry = stored(keys[tier])
        if entry is not None:
            timings.cached, timings.tier = True, tier
            return entry
    return None


def _improve(
    code: CodeObject,
    kernel: Kernel,
    layout: str,
    keys: Mapping[str, str],
    helpers: Mapping[str, int],
    better: Callable[[Prepared], None],
) -> None:
    """Have the full translation made."""
    from softrock.jit import background

    def done(entry: dict[str, Any], seconds: list[float]) -> None:
        decode, lift, passes, codegen = seconds
        timings = Timings(decode, lift, passes, codegen)
        better(_load(code, kernel, entry, helpers, timings))

    background.submit(background.Request(code.data, code.name, kernel.name, layout, keys["full"], keys["quick"], done))


def _load(
    code: CodeObject, kernel: Kernel, entry: dict[str, Any], helpers: Mapping[str, int], timings: Timings
) -> Prepared:
    from softrock.jit.loader import Loaded

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
