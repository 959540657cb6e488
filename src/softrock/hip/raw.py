"""Reading and writing memory by address, through cffi's C back end.

Everything that crosses into C goes through this one `ffi`; importing it costs a millisecond (the front end of
cffi, with its C parser, is not needed).
"""

from __future__ import annotations

import importlib
import struct
from typing import Any

ffi: Any = importlib.import_module("_cffi_backend").FFI()


def view(address: int, size: int) -> Any:
    """A writable buffer over `size` bytes at an address (which must be mapped)."""
    return ffi.buffer(ffi.cast("char *", address), size)


def read(address: int, size: int) -> bytes:
    """Copy `size` bytes from an address."""
    return bytes(ffi.buffer(ffi.cast("char *", address), size))


def write(address: int, data: bytes | bytearray | memoryview) -> None:
    """Copy bytes to an address."""
    ffi.memmove(ffi.cast("char *", address), data, len(data))


def copy(dst: int, src: int, size: int) -> None:
    """memmove between two addresses."""
    ffi.memmove(ffi.cast("char *", dst), ffi.cast("char *", src), size)


def text(address: int) -> str:
    """The C string at an address."""
    return bytes(ffi.string(ffi.cast("char *", address))).decode("utf-8", "surrogateescape")


def put(address: int, letters: str, *values: Any) -> None:
    """Write values laid out as `struct` letters say (native byte order, standard sizes)."""
    write(address, struct.pack(f"<{letters}", *values))


def get(address: int, letters: str) -> Any:
    """Read one value."""
    return struct.unpack(f"<{letters}", read(address, struct.calcsize(f"<{letters}")))[0]


def words(address: int, count: int) -> list[int]:
    """`count` unsigned 64-bit words at an address."""
    return list(ffi.unpack(ffi.cast("uint64_t *", address), count)) if count else []


class Held:
    """Zeroed or given bytes at a fixed address, freed with the object."""

    __slots__ = ("_memory", "address", "size")

    def __init__(self, content: bytes | int) -> None:
        self.size = content if isinstance(content, int) else len(content)
        self._memory = ffi.new("char[]", max(self.size, 1))
        self.address = int(ffi.cast("uintptr_t", self._memory))
        if not isinstance(content, int):
            ffi.memmove(self._memory, content, self.size)
