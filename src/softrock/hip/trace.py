"""A record of every kernel launch and of what memory holds behind it, by which two runs are compared (SOFTROCK_TRACE).

Launches wait for their end while this is on, and all go through Python. A line of ``launches.jsonl`` is a launch: its
kernel, grid, block, and for each allocation its size and a digest of its contents. Pointers into device memory are told
by their value and taken relative to the first allocation, since they differ from process to process.
``SOFTROCK_TRACE_AT=n`` also keeps the contents behind launch n, as ``memory-<allocation>.bin``.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import json
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from softrock.core import settings
from softrock.core.errors import SoftrockError
from softrock.gpu.device import Dim
from softrock.hip import state

if TYPE_CHECKING:
    from softrock.hip.streams import Stream

FILE = "launches.jsonl"
_PART = 64 << 20
"""Bytes that are looked at together."""

_lock = threading.Lock()
_count = 0


@functools.cache
def folder() -> Path | None:
    """Where the record goes; None where none is asked for."""
    return settings.load().trace


def record(stream: Stream, kernel: str, grid: Dim, block: Dim) -> None:
    """Wait for the stream and note what memory holds now.

    Raises:
        HipError: the kernel faulted.
        SoftrockError: the record cannot be written.
    """
    global _count
    where = folder()
    if where is None:
        return
    stream.wait()
    with _lock:
        _count += 1
        known = state.runtime().allocations.of_device(stream.home.index)
        low = min((each.base for each in known), default=0)
        high = max((each.base + each.size for each in known), default=0)
        memory = []
        for number, each in enumerate(known):
            keep = where / f"memory-{number}.bin" if settings.load().trace_at == _count else None
            memory.append({"bytes": each.size, "digest": _digest(each.base, each.size, low, high, keep)})
        line = {"launch": _count, "kernel": kernel, "grid": list(grid), "block": list(block), "memory": memory}
        try:
            where.mkdir(parents=True, exist_ok=True, mode=0o700)
            with (where / FILE).open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        except OSError as error:
            raise SoftrockError(
                f"{where / FILE} cannot be written: {error.strerror}", hint="name another folder in SOFTROCK_TRACE"
            ) from None


def _digest(base: int, size: int, low: int, high: int, keep: Path | None) -> str:
    """Digest of `size` bytes at `base`, pointers in [low, high) taken relative to `low`; `keep` gets the bytes."""
    digest = hashlib.blake2b(digest_size=16)
    if keep is not None:
        keep.write_bytes(b"")
    for start in range(0, size, _PART):
        part = ctypes.string_at(base + start, min(_PART, size - start))
        plain = without_addresses(part, low, high)
        digest.update(plain)
        if keep is not None:
            with keep.open("ab") as file:
                file.write(plain)
    return digest.hexdigest()


def without_addresses(data: bytes, low: int, high: int) -> bytes:
    """The bytes with every aligned 64-bit word in [low, high) replaced by its distance from `low`."""
    import numpy as np

    words = np.frombuffer(data, np.uint64, len(data) // 8)
    pointers = (words >= low) & (words < high)
    if not pointers.any():
        return data
    plain = np.where(pointers, words - np.uint64(low), words)
    return plain.tobytes() + data[len(words) * 8 :]
