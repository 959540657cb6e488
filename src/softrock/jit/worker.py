"""A process that makes full translations in the background; see :mod:`softrock.jit.background`.

It reads requests from its input and answers on its output, both as four bytes of length and a msgpack document. When
its input ends, because the program has, it finishes what it is at (within :data:`LAST_S` seconds of processor time), so
that a program that ended early finds the full translation next time.
"""

from __future__ import annotations

import contextlib
import os
import resource
import struct
import sys
import threading
from collections.abc import Callable
from typing import Any, BinaryIO

import msgpack

LENGTH = struct.Struct("<I")

LAST_S = 120
"""Processor seconds that the worker may use once the program has ended."""

NICE = 15
"""It runs when nobody else wants the processor."""


def send(stream: BinaryIO, message: dict[str, Any]) -> None:
    """Write one message.

    Raises:
        OSError: the other side is gone.
    """
    body = msgpack.packb(message)
    stream.write(LENGTH.pack(len(body)) + body)
    stream.flush()


def receive(stream: BinaryIO) -> dict[str, Any] | None:
    """Read one message, None at the end."""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    body = stream.read(LENGTH.unpack(head)[0])
    message: dict[str, Any] = msgpack.unpackb(body, raw=False)
    return message


def _answer(request: dict[str, Any], wanted: Callable[[], bool]) -> dict[str, Any]:
    """Translate, unless another process does or did."""
    from softrock.core import cache
    from softrock.jit import build

    while wanted():
        with cache.building(build.KIND, request["key"], 0.5) as mine:
            if mine:
                return _translate(request)
    return {"error": "the program has ended"}


def _translate(request: dict[str, Any]) -> dict[str, Any]:
    from softrock import codeobj
    from softrock.core import cache, settings
    from softrock.jit import build

    key = request["key"]
    timings = build.Timings()
    entry = build.stored(key)
    if entry is None:
        code = codeobj.load(request["code"], request["name"])
        entry = build.build(code, code.kernels[request["kernel"]], request["layout"], "full", timings)
        if settings.load().cache_dir.is_dir():  # it may have been removed under us, and must not come again
            build.store(key, entry)
            cache.remove(build.KIND, request["quick_key"])
    return {"entry": entry, "timings": [timings.decode, timings.lift, timings.passes, timings.codegen]}


class _Requests:
    """Reads ahead, so that the end of the input is seen while a translation runs."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._waiting: list[dict[str, Any] | None] = []
        self._news = threading.Condition()
        self.open = True
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        while True:
            request = receive(self._stream)
            with self._news:
                if request is None:
                    self.open = False
                    self._waiting.clear()
                self._waiting.append(request)
                self._news.notify()
            if request is None:
                used = int(sum(os.times()[:2])) + 1
                resource.setrlimit(resource.RLIMIT_CPU, (used + LAST_S, used + LAST_S + 1))
                return

    def next(self) -> dict[str, Any] | None:
        """The next request, None where there are no more."""
        with self._news:
            while not self._waiting:
                self._news.wait()
            return self._waiting.pop(0)


def main() -> None:
    """Serve until the input ends."""
    with contextlib.suppress(OSError):
        os.nice(NICE)
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not mix with the answers
    requests = _Requests(sys.stdin.buffer)
    while (request := requests.next()) is not None:
        try:
            answer = _answer(request, lambda: requests.open)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        try:
            send(output, answer)
        except OSError:
            break
    os._exit(0)


if __name__ == "__main__":
    main()
