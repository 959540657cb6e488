"""Readable names of C++ symbols."""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
from collections.abc import Callable

_LONGEST = 4096


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
