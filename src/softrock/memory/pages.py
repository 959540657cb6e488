"""Pages of the host's address space: reserve, make usable, give back. Linux only, through the C library."""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
from typing import Final

from softrock.core.errors import SoftrockError

PAGE: Final = mmap.PAGESIZE
HUGE: Final = 2 << 20
"""Size of a huge page on x86-64 and (with 4 KiB pages) aarch64."""

_NONE: Final = 0
_USABLE: Final = mmap.PROT_READ | mmap.PROT_WRITE
_ANONYMOUS: Final = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000  # MAP_NORESERVE
_FIXED: Final = 0x10
_DONTDUMP: Final = 16
_HUGEPAGE: Final = 14

_libc: Final = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]

_FAILED: Final = ctypes.c_void_p(-1).value


def round_up(value: int, unit: int) -> int:
    """The least multiple of `unit` that is not below `value`."""
    return -(-value // unit) * unit


def _error(what: str) -> SoftrockError:
    number = ctypes.get_errno()
    hint = "close other programs or raise the limit on address space (ulimit -v)"
    if number == errno.ENOMEM:
        hint = "too many mappings or too little address space: raise vm.max_map_count or ulimit -v"
    return SoftrockError(f"the host cannot {what}: {os.strerror(number)}", hint=hint)


def reserve(size: int) -> int | None:
    """Address space of which nothing can be touched yet; None if the host gives none of that size."""
    place = _libc.mmap(None, size, _NONE, _ANONYMOUS, -1, 0)
    if place == _FAILED or not place:
        return None
    _libc.madvise(place, size, _DONTDUMP)
    return int(place)


def unreserve(place: int, size: int) -> None:
    """Give address space back to the host."""
    _libc.munmap(place, size)


def use(place: int, size: int) -> None:
    """Make reserved pages readable and writable; they read as zero.

    Raises:
        SoftrockError: the host refuses.
    """
    if _libc.mprotect(place, size, _USABLE):
        raise _error(f"map {size} bytes of device memory")
    if size >= HUGE:
        _libc.madvise(place, size, _HUGEPAGE)


def drop(place: int, size: int) -> None:
    """Make pages untouchable again and free what they held.

    Raises:
        SoftrockError: the host refuses.
    """
    done = _libc.mmap(place, size, _NONE, _ANONYMOUS | _FIXED, -1, 0)
    if done == _FAILED:
        raise _error(f"unmap {size} bytes of device memory")
    _libc.madvise(place, size, _DONTDUMP)
