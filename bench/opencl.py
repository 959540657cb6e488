"""PoCL as a rival, through pyopencl where both are installed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np


class Missing(Exception):
    """PoCL cannot be used; the text says why."""


@cache
def _device() -> Any:
    try:
        import pyopencl
    except ImportError:
        raise Missing("pyopencl is not installed: pip install pyopencl pocl-binary-distribution") from None
    try:
        platforms = pyopencl.get_platforms()
    except pyopencl.LogicError as error:
        raise Missing(f"no OpenCL platform: {error}") from None
    for platform in platforms:
        if "portable computing language" in platform.name.lower():
            return platform.get_devices()[0]
    raise Missing(f"PoCL is not among the OpenCL platforms ({', '.join(p.name for p in platforms) or 'none'})")


def version() -> str | None:
    """PoCL's version and the LLVM it uses, None without PoCL."""
    try:
        text = " ".join(_device().platform.version.split())
    except Missing:
        return None
    short = re.search(r"PoCL (\S+).*?(LLVM [\d.]+)", text)
    return f"{short[1]}, {short[2]}" if short else text


def prepare(
    source: str, kernel: str, grid: Sequence[int], block: Sequence[int], args: Sequence[Any]
) -> tuple[Callable[[], object], str]:
    """(a function that runs the kernel and waits, PoCL's version).

    Raises:
        Missing: no PoCL.
    """
    device = _device()
    import pyopencl

    context = pyopencl.Context([device])
    queue = pyopencl.CommandQueue(context)
    program = pyopencl.Program(context, source).build(["-cl-mad-enable"])
    entry = pyopencl.Kernel(program, kernel)
    flags = pyopencl.mem_flags.READ_WRITE | pyopencl.mem_flags.USE_HOST_PTR
    bound = [pyopencl.Buffer(context, flags, hostbuf=a) if isinstance(a, np.ndarray) else a for a in args]
    entry.set_args(*bound)

    def run(keep: object = bound) -> None:  # PoCL does not keep the buffers of a kernel's arguments
        pyopencl.enqueue_nd_range_kernel(queue, entry, tuple(grid), tuple(block))
        queue.finish()

    return run, version() or ""
