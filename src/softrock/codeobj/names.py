"""Readable names of C++ symbols.

Names from files that nobody vouches for are worked out in a process of its own with little memory and time
(:class:`Demangler`): a mangled name of a hundred bytes can stand for one of gigabytes. That process runs this file.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import re
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess

_LONGEST = 4096
_LONGEST_RESULT = 65536
_PLAIN = re.compile(r"_Z[A-Za-z0-9_.$]+")
_MEMORY = 1 << 29
_SECONDS = 30
_SECONDS_A_NAME = 2


@functools.cache
def _demangler() -> Callable[[bytes], bytes | None] | None:
    """``__cxa_demangle`` of the machine's C++ library, or None where there is none."""
    for library in ("libstdc++.so.6", "libc++abi.so.1"):
        try:
            raw = ctypes.CDLL(library).__cxa_demangle
            free = ctypes.CDLL(None).free
        except (OSError, AttributeError):
            continue
        raw.restype = ctypes.c_void_p
        raw.argtypes = (ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int))
        free.argtypes = (ctypes.c_void_p,)
        free.restype = None

        def call(
            name: bytes, raw: Callable[..., int | None] = raw, free: Callable[..., None] = free
        ) -> bytes | None:
            status = ctypes.c_int(0)
            place = raw(name, None, None, ctypes.byref(status))
            if not place:
                return None
            text = ctypes.string_at(place)
            free(place)
            return text

        return call
    return None


def demangle(name: str) -> str:
    """The C++ declaration that a symbol stands for; the name itself where it is plain or cannot be read."""
    if not name.startswith("_Z") or len(name) > _LONGEST or not name.isascii():
        return name
    call = _demangler()
    text = call(name.encode()) if call else None
    return text.decode("utf-8", "replace") if text else name


class Demangler:
    """Readable names of many symbols from files that nobody vouches for.

    A name that takes too much ends the process that works them out; from then on names stay as they are.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._failed = not sys.executable
        self._known: dict[str, str] = {}

    def names(self, symbols: Sequence[str]) -> list[str]:
        """Each symbol's C++ declaration, or the symbol where it is plain or cannot be read."""
        if len(self._known) > 100_000:
            self._known.clear()
        fresh = [each for each in dict.fromkeys(symbols) if each not in self._known]
        wanted = [each for each in fresh if len(each) <= _LONGEST and _PLAIN.fullmatch(each)]
        if wanted and not self._failed:
            self._ask(wanted)
        return [self._known.get(each, each) for each in symbols]

    def _ask(self, wanted: list[str]) -> None:
        import subprocess
        import threading

        if self._process is None:
            command = [sys.executable, "-I", "-S", __file__]
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        source, sink = self._process.stdout, self._process.stdin
        assert source is not None
        assert sink is not None

        def write() -> None:
            try:
                sink.write("".join(f"{each}\n" for each in wanted).encode())
                sink.flush()
            except (BrokenPipeError, ValueError):
                pass  # it has ended: reading tells

        writer = threading.Thread(target=write)
        writer.start()
        for each in wanted:
            line = source.readline()
            if not line.endswith(b"\n"):
                self._failed = True
                break
            self._known[each] = line[:-1].decode("utf-8", "replace")
        if self._failed:
            self.close()
        writer.join()

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            process, self._process = self._process, None
            process.kill()
            process.communicate()


def _serve() -> None:
    """Answer each name that stands in a line of standard input with a line."""
    import resource
    import signal

    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for line in iter(sys.stdin.buffer.readline, b""):
        name = line[:-1].decode()
        signal.setitimer(signal.ITIMER_REAL, _SECONDS_A_NAME)  # it ends the process, inside C code too
        text = demangle(name)
        signal.setitimer(signal.ITIMER_REAL, 0)
        if len(text) > _LONGEST_RESULT or "\n" in text:
            text = name
        sys.stdout.buffer.write(text.encode("utf-8", "replace") + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    _serve()
