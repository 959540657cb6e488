"""Headers of GGUF files: metadata and every tensor's type, shape and bytes, without reading a weight.

Source of the format: ggml-org/ggml, docs/gguf.md (version 3), 2025.
"""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from softrock.core.errors import SoftrockError
from softrock.fit import jsonfile
from softrock.fit.safetensors import Tensor
from softrock.fit.tables import rows
from softrock.fit.text import clean

_MOST_KEYS = 1 << 16
_MOST_TENSORS = 1 << 18
_MOST_TEXT = 1 << 20
_MOST_NAME = 1 << 10
_MOST_HEADER = 128 << 20
"""Bytes read of a header at most; the largest vocabularies make about 20 MB."""
_KEPT = 1 << 12
"""Entries of an array that are kept; longer ones (vocabularies) are passed over, their length is kept."""
_KEPT_IN_ALL = 1 << 17
"""Entries that are kept of all arrays together, so that no header takes much memory."""
_TEXT_IN_ALL = 16 << 20
_DEPTH = 4
_STRING, _ARRAY = 8, 9
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_SPLIT = re.compile(r"(.*)-(\d{5})-of-(\d{5})\.gguf")


@cache
def types() -> dict[int, tuple[str, int, int]]:
    """Number -> name, elements a block, bytes a block."""
    return {int(r["number"]): (r["name"], int(r["block"]), int(r["bytes"])) for r in rows("gguf_types.tsv")}


@dataclass(frozen=True, slots=True)
class Length:
    """How long an array was that nobody kept."""

    entries: int


@dataclass(slots=True)
class Header:
    """What a file's header says.

    Attributes:
        metadata: key -> number, text, list of up to 4,096 entries, or `Length`.
        tensors: shapes with the fastest dimension last, as other formats have them.
    """

    metadata: dict[str, Any] = field(default_factory=dict)
    tensors: list[Tensor] = field(default_factory=list)


class _Reader:
    """Reads a header's bytes in order and never past the file's end."""

    def __init__(self, file: BinaryIO, size: int, where: str) -> None:
        self._file, self._left, self.where = file, min(size, _MOST_HEADER), where
        self._order = "<"
        self._entries_left, self._text_left = _KEPT_IN_ALL, _TEXT_IN_ALL

    def fail(self, what: str) -> NoReturn:
        raise SoftrockError(f"{self.where}: {what}", hint="the file is damaged or not complete; fetch it again")

    def take(self, size: int) -> bytes:
        if size > self._left:
            self.fail("it ends within its header")
        raw = self._file.read(size)
        if len(raw) != size:
            self.fail("it ends within its header")
        self._left -= size
        return raw

    def skip(self, size: int) -> None:
        """Pass over bytes without keeping them."""
        if size > self._left:
            self.fail("it ends within its header")
        self._file.seek(size, os.SEEK_CUR)
        self._left -= size

    def number(self, code: str) -> Any:
        return struct.unpack(self._order + code, self.take(struct.calcsize("=" + code)))[0]

    def swap(self) -> None:
        self._order = ">"

    def text(self, most: int = _MOST_TEXT) -> str:
        length = self.number("Q")
        if length > most:
            self.fail(f"a text in its header would have {length:,} bytes")
        self._text_left -= length
        if self._text_left < 0:
            self.fail(f"its header has more than {_TEXT_IN_ALL:,} bytes of text besides the vocabulary")
        return self.take(length).decode("utf-8", "replace")

    def value(self, kind: int, depth: int = 0) -> Any:
        if kind in _SCALARS:
            return self.number(_SCALARS[kind])
        if kind == _STRING:
            return self.text()
        if kind != _ARRAY or depth >= _DEPTH:
            self.fail(f"a value in its header is of type {kind}" if kind != _ARRAY else "its arrays nest too deep")
        inner, entries = self.number("I"), self.number("Q")
        return self._entries(inner, entries, depth)

    def _keeps(self, entries: int) -> bool:
        """Whether an array of so many entries is kept; takes them off what may be."""
        if entries > min(_KEPT, self._entries_left):
            return False
        self._entries_left -= entries
        return True

    def _entries(self, inner: int, entries: int, depth: int) -> Any:
        if inner in _SCALARS:
            each = struct.calcsize("=" + _SCALARS[inner])
            if entries * each > self._left:
                self.fail(f"an array in its header would have {entries:,} entries")
            if not self._keeps(entries):
                self.skip(entries * each)
                return Length(entries)
            return [self.number(_SCALARS[inner]) for _ in range(entries)]
        if inner not in (_STRING, _ARRAY):
            self.fail(f"an array in its header is of type {inner}")
        if entries * 8 > self._left:  # the least that a text or an array takes
            self.fail(f"an array in its header would have {entries:,} entries")
        if self._keeps(entries):
            return [self.value(inner, depth + 1) for _ in range(entries)]
        if inner == _ARRAY:
            self.fail(f"an array in its header has {entries:,} arrays, more than any has")
        for _ in range(entries):
            length = self.number("Q")
            if length > _MOST_TEXT:
                self.fail(f"a text in its header would have {length:,} bytes")
            self.skip(length)
        return Length(entries)


def read(path: Path) -> Header:
    """A file's header.

    Raises:
        SoftrockError: it is no GGUF file, is cut off, of an unknown version, or holds an unknown tensor type.
    """
    handle, size = jsonfile.open_regular(path)
    with os.fdopen(handle, "rb", buffering=1 << 16) as file:
        reader = _Reader(file, size, clean(path, 300))
        if size < 24 or reader.take(4) != b"GGUF":
            raise SoftrockError(f"{reader.where}: it is no GGUF file", hint="give a .gguf file")
        version = reader.number("I")
        if version in (2 << 24, 3 << 24):
            reader.swap()
            version >>= 24
        if version not in (2, 3):
            raise SoftrockError(
                f"{reader.where}: GGUF version {version} is unknown (known: 2, 3)", hint="convert it anew"
            )
        number, keys = reader.number("Q"), reader.number("Q")
        if number > _MOST_TENSORS or keys > _MOST_KEYS:
            reader.fail(f"its header counts {number:,} tensors and {keys:,} keys")
        found = Header()
        for _ in range(keys):
            key = reader.text(_MOST_NAME)
            kind = reader.number("I")
            found.metadata[key] = reader.value(kind)
        spans = [_tensor(reader, found) for _ in range(number)]
        _inside(reader, found, spans, file.tell(), size)
        return found


def _tensor(reader: _Reader, found: Header) -> tuple[int, int]:
    name = reader.text(_MOST_NAME)
    dimensions = reader.number("I")
    if dimensions > 8:
        reader.fail(f"tensor {clean(name)!r} has {dimensions} dimensions")
    shape = tuple(reader.number("Q") for _ in range(dimensions))
    kind, offset = reader.number("I"), reader.number("Q")
    known = types().get(kind)
    if known is None:
        raise SoftrockError(
            f"{reader.where}: tensor {clean(name)!r} is of type {kind}, which is unknown",
            hint="the file comes from another program or a newer llama.cpp; give the config.json instead",
        )
    label, block, width = known
    elements = 1
    for each in shape:
        elements *= each
        if elements > 1 << 62:
            reader.fail(f"tensor {clean(name)!r} has the shape {clean(list(shape))}")
    row = shape[0] if shape else 1
    if row % block:
        reader.fail(f"tensor {clean(name)!r} has rows of {row:,}, no whole number of blocks of {label} ({block})")
    size = elements // block * width
    found.tensors.append(Tensor(name, label, shape[::-1], size))
    return offset, size


def _inside(reader: _Reader, found: Header, spans: list[tuple[int, int]], header: int, size: int) -> None:
    """Every tensor must lie inside the file, on its alignment, on no other one."""
    alignment = found.metadata.get("general.alignment", 32)
    if type(alignment) is not int or not 1 <= alignment <= 1 << 20:
        reader.fail(f"its alignment is {clean(alignment)}")
    base = -(-header // alignment) * alignment
    end = 0
    for offset, length in sorted(spans):
        if offset < end or offset % alignment:
            reader.fail(f"a tensor lies at {offset:,}, on another one or off its alignment")
        end = offset + length
    if spans and base + end > size:
        reader.fail(f"its tensors end at byte {base + end:,}, but it has {size:,} bytes")
    names = {each.name for each in found.tensors}
    if len(names) != len(found.tensors):
        reader.fail("two of its tensors have one name")


def files(path: Path) -> list[Path]:
    """The files of a split model (``name-00001-of-00003.gguf``), or the one file.

    Raises:
        SoftrockError: some of a split model's are not there.
    """
    named = _SPLIT.fullmatch(path.name)
    if named is None:
        return [path]
    count = int(named[3])
    if not 1 <= int(named[2]) <= count <= 4096:
        raise SoftrockError(f"{clean(path, 300)}: its name counts wrongly", hint="name it as llama.cpp did")
    every = [path.with_name(f"{named[1]}-{number:05}-of-{named[3]}.gguf") for number in range(1, count + 1)]
    missing = [each for each in every if not each.exists()]
    if missing:
        raise SoftrockError(
            f"{clean(path, 300)}: {len(missing)} of {count} files are not there, the first {clean(missing[0].name)}",
            hint="fetch them; each holds other tensors",
        )
    return every


def load(path: Path) -> tuple[Mapping[str, Any], list[Tensor], int]:
    """Metadata (of the first file), tensors of all files of a model, and how many files there are.

    Raises:
        SoftrockError: see `read` and `files`; two files hold a tensor of one name.
    """
    every = files(path)
    headers = [read(each) for each in every]
    tensors = [tensor for each in headers for tensor in each.tensors]
    if len({each.name for each in tensors}) != len(tensors):
        raise SoftrockError(f"{clean(path, 300)}: two of its files hold a tensor of one name", hint="fetch them again")
    return headers[0].metadata, tensors, len(every)
