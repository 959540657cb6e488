"""Words in memory as signals: streams that write them and wait for them (hipStreamWriteValue, hipStreamWaitValue)."""

from __future__ import annotations

import itertools
import time
from typing import Any

from softrock.core import settings
from softrock.gpu.device import Copy
from softrock.hip import memory, raw, streams
from softrock.hip.errors import HipError

AT_LEAST, EQUAL, AND, NOR = range(4)
_POLL = 0.0002

_ids = itertools.count(1)
_callbacks: dict[int, Any] = {}


def write(stream: int, address: int, value: int, size: int) -> None:
    """Write a word of 4 or 8 bytes once the stream's work so far has ended."""
    _check(address, size)
    target = streams.of(stream)
    streams.forbid_capture(target)
    word = raw.Held((value & (1 << 8 * size) - 1).to_bytes(size, "little"))
    target.work().copy(Copy(address, word.address, size))
    target.defer(None, word)


def wait(stream: int, address: int, value: int, how: int, mask: int, size: int) -> None:
    """Hold the stream until the masked word compares with `value` as asked: AT_LEAST (by signed difference), EQUAL,
    AND (any common bit) or NOR (not all bits set).

    Raises:
        HipError: hipErrorNotSupported where only one thread runs work (the word could never change).
    """
    _check(address, size)
    if how not in (AT_LEAST, EQUAL, AND, NOR):
        raise HipError("hipErrorInvalidValue", f"comparison {how}")
    if settings.load().threads < 2:
        raise HipError(
            "hipErrorNotSupported", "waiting for a value needs two host threads", hint="set SOFTROCK_THREADS=2 or more"
        )
    target = streams.of(stream)
    streams.forbid_capture(target)
    bits = (1 << 8 * size) - 1
    letters = "I" if size == 4 else "Q"
    key = next(_ids)

    def hold(_: Any) -> None:
        try:
            while not _holds(raw.get(address, letters) & mask & bits, value & bits, how, size):
                time.sleep(_POLL)
        finally:
            _callbacks.pop(key, None)

    handle = _callbacks[key] = raw.ffi.callback("void(void *)", hold)
    target.work().call(int(raw.ffi.cast("uintptr_t", handle)), 0)


def _holds(word: int, value: int, how: int, size: int) -> bool:
    bits = 8 * size
    if how == AT_LEAST:
        return (word - value) & (1 << bits) - 1 < 1 << bits - 1
    if how == EQUAL:
        return word == value
    return bool(word & value) if how == AND else ~(word | value) & (1 << bits) - 1 != 0


def _check(address: int, size: int) -> None:
    if not address or address % size or memory.find(address) is None:
        raise HipError("hipErrorInvalidValue", f"{address:#x} is no word of memory that the device can use")
