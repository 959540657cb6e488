"""How much of a file is read: bounds that no honest file meets, and that stop what a small hostile one can cost."""

from __future__ import annotations

import os
from collections.abc import Callable

from softrock.core.errors import CodeObjectError
from softrock.core.text import printable

MOST_NESTED = 6
"""Archives inside archives that are opened: a .deb holds a tar, that a wheel, that a library, that a bundle."""
_BASE = 1 << 30
_RATIO = 200
_TIMES = 16
_LARGEST = 8 << 30
_HINT = "unpack it and inspect the files themselves, if you trust it"

Progress = Callable[[str], None]


def _largest() -> int:
    """Most bytes of one thing unpacked in memory: 8 GiB, or half of the memory where that is less."""
    return min(_LARGEST, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2)


class Budget:
    """What a file may still cost.

    Bytes unpacked from it: 1 GiB and 200 times its size in all. Bytes looked at: 16 times those there are, since every
    layer (archive, library, section, bundle, code object) hands its bytes on once; ranges that overlap use it up.
    """

    def __init__(self, size: int, progress: Progress | None = None) -> None:
        self._unpack = _BASE + _RATIO * size
        self._look = (64 << 20) + _TIMES * size
        self._largest = _largest()
        self.progress = progress

    def unpack(self, size: int, name: str) -> None:
        """Take note that `size` bytes are about to be unpacked.

        Raises:
            CodeObjectError: that would be too much.
        """
        self.hold(size, name)
        if size > self._unpack:
            raise CodeObjectError(f"{name} unpacks to more than its size makes likely: not read", hint=_HINT)
        self._unpack -= size
        self._look += _TIMES * size

    def hold(self, size: int, name: str) -> None:
        """Check that `size` bytes may be held in memory.

        Raises:
            CodeObjectError: that would be too much.
        """
        if size > self._largest:
            what = f"{name} claims to unpack to {size} bytes, more than the {self._largest} allowed"
            raise CodeObjectError(what, hint=_HINT)

    def look(self, size: int, name: str) -> None:
        """Take note that `size` bytes are about to be read as something.

        Raises:
            CodeObjectError: the file's parts overlap so much that this never ends.
        """
        if self.progress is not None:
            self.progress(name)
        if size > self._look:
            raise CodeObjectError(f"{name} is corrupt: its parts overlap: not read", hint="fetch or build it again")
        self._look -= size


def clean(text: str, most: int = 400) -> str:
    """Text fit for a terminal: what does not print (control characters, lone surrogates) becomes ``?``."""
    if len(text) > most:
        text = text[: most - 1] + "…"
    return printable(text)
