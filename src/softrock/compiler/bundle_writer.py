"""Offload bundles: several code objects (or texts) in one file, named by target.

Format facts: the Clang Offload Bundler page of LLVM's documentation. A binary bundle is the magic
``__CLANG_OFFLOAD_BUNDLE__``, a count, then per entry offset, size, length of the name and the name (all
integers 64-bit little-endian), then the entries. Runtimes map an entry in place, so code objects start on a
page boundary. A text bundle wraps each text between two comment lines.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from softrock.core.errors import CodeObjectError

MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
_COMMENTS = {"i": "//", "ii": "//", "hipi": "//", "cui": "//", "d": "#", "s": "#", "ll": ";"}
"""Comment sign of each text type that clang's driver asks a bundle of."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One member of a bundle: its target name (e.g. ``hipv4-amdgcn-amd-amdhsa--gfx942``) and its bytes."""

    name: str
    data: bytes


def is_text(kind: str) -> bool:
    """Whether clang's ``-type=KIND`` means a text bundle."""
    return kind in _COMMENTS


def write(entries: Sequence[Entry], align: int = 4096) -> bytes:
    """A binary bundle of `entries` in the order given, each starting at a multiple of `align` bytes."""
    header = len(MAGIC) + 8 + sum(24 + len(entry.name.encode()) for entry in entries)
    offset = -(-header // align) * align
    table = [MAGIC, struct.pack("<Q", len(entries))]
    body: list[bytes] = []
    for entry in entries:
        name = entry.name.encode()
        table.append(struct.pack("<QQQ", offset, len(entry.data), len(name)) + name)
        body.append(entry.data + b"\0" * (-len(entry.data) % align))
        offset += len(body[-1])
    head = b"".join(table)
    return head + b"\0" * (-len(head) % align) + b"".join(body)


def write_text(entries: Sequence[Entry], kind: str) -> bytes:
    """A text bundle of `entries`; `kind` is clang's ``-type=`` (``s``, ``ll``, ``hipi``, ...)."""
    sign = _COMMENTS[kind]
    parts: list[bytes] = []
    for entry in entries:
        for word in ("START", "END"):
            parts.append(f"\n{sign} {MAGIC.decode()}__{word}__ {entry.name}\n".encode())
            if word == "START":
                parts.append(entry.data)
    return b"".join(parts)


def read(data: bytes) -> list[Entry]:
    """The entries of a binary bundle that this module wrote.

    Raises:
        CodeObjectError: not a bundle, or an entry lies outside it.
    """
    if not data.startswith(MAGIC) or len(data) < len(MAGIC) + 8:
        raise CodeObjectError("not an offload bundle (magic missing)")
    at = len(MAGIC)
    (count,) = struct.unpack_from("<Q", data, at)
    at += 8
    entries: list[Entry] = []
    for index in range(count):
        if at + 24 > len(data):
            raise CodeObjectError(f"offload bundle is cut off in its table (entry {index} of {count})")
        offset, size, length = struct.unpack_from("<QQQ", data, at)
        at += 24
        if at + length > len(data) or offset + size > len(data):
            raise CodeObjectError(f"offload bundle: entry {index} lies outside the file")
        entries.append(Entry(data[at : at + length].decode(errors="replace"), data[offset : offset + size]))
        at += length
    return entries
