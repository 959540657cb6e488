"""The little that loading needs to know of an x86-64 or AArch64 ELF object of our own making; no import of an ELF
library on the warm path."""

from __future__ import annotations

import struct

_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_SYMTAB = 2


def text_layout(data: bytes, entry: str) -> tuple[int, int]:
    """(offset of symbol `entry` in its section, size of that section).

    Raises:
        KeyError: there is no such symbol.
    """
    (start,) = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    sections = [_SECTION.unpack_from(data, start + k * size) for k in range(count)]
    wanted = entry.encode() + b"\0"
    for section in sections:
        if section[1] != _SYMTAB:
            continue
        strings = sections[section[6]][4]
        for at in range(section[4], section[4] + section[5], _SYMBOL.size):
            name, _, _, index, value, _ = _SYMBOL.unpack_from(data, at)
            if data.startswith(wanted, strings + name):
                return value, sections[index][5]
    raise KeyError(entry)
