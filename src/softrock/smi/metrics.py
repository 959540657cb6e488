"""The binary gpu_metrics file: its header says which structure it holds, layouts.toml how that is laid out."""

from __future__ import annotations

import re
import struct
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources

Value = int | tuple[int | None, ...] | None
"""A number, an array of them, or None where the GPU does not tell."""

_LETTERS = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q"}
_TYPES = "BbHhIiQq"
"""Letters of :mod:`struct` by number of enum amdgpu_metrics_attr_type."""
_FIELD = re.compile(r"(\w+)(?:\[(\d+)\])?")
_HEADER = 4
_MOST = 1 << 16


@dataclass(frozen=True, slots=True)
class Metrics:
    """What a gpu_metrics file holds.

    Attributes:
        version: format and content revision, "1.3".
        values: by the kernel's names, in the kernel's units.
    """

    version: str
    values: dict[str, Value]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a structure: `count` is 0 for one that is no array."""

    name: str
    letter: str
    offset: int
    count: int

    @property
    def end(self) -> int:
        """Offset of the first byte behind it."""
        return self.offset + struct.calcsize("<" + self.letter) * max(self.count, 1)


class Malformed(ValueError):
    """It is no gpu_metrics file, or one of a revision that is not known; the message says what is wrong."""


@cache
def _tables() -> dict[str, dict[str, str]]:
    return tomllib.loads((resources.files(__package__) / "layouts.toml").read_text(encoding="utf-8"))


@cache
def layout(version: str) -> tuple[Field, ...]:
    """The fields of a revision, with offsets from the begin of the file."""
    fields: list[Field] = []
    at = _HEADER
    for line in _tables()[version]["fields"].split("\n"):
        if not line:
            continue
        kind, *names = line.split()
        letter = _LETTERS[kind]
        size = struct.calcsize("<" + letter)
        for word in names:
            found = _FIELD.fullmatch(word)
            assert found, word
            at = -(-at // size) * size
            fields.append(Field(found[1], letter, at, int(found[2] or 0)))
            at = fields[-1].end
    return tuple(fields)


def parse(data: bytes) -> Metrics:
    """Read a gpu_metrics file.

    Fields that lie behind the end of the file are missing (older drivers write shorter structures).

    Raises:
        Malformed: the header does not fit the data, or the revision is not known.
    """
    if len(data) < _HEADER:
        raise Malformed(f"{len(data)} bytes are less than a header")
    size, form, content = struct.unpack_from("<HBB", data)
    version = f"{form}.{content}"
    table = _tables().get(version)
    if table is None:
        raise Malformed(f"revision {version} is not known")
    if size < _HEADER or size > len(data) or len(data) > _MOST:
        raise Malformed(f"its header says {size} bytes, it has {len(data)}")
    if "attributes" in table:
        return Metrics(version, dict(_attributes(data, table["attributes"].split())))
    values = {field.name: _value(data[:size], field) for field in layout(version) if not field.name.startswith("pad")}
    return Metrics(version, values)


def _value(data: bytes, field: Field) -> Value:
    count = max(field.count, 1)
    if field.end > len(data):
        return (None,) * count if field.count else None
    found = tuple(
        _known(each, field.letter) for each in struct.unpack_from(f"<{count}{field.letter}", data, field.offset)
    )
    return found if field.count else found[0]


def _known(value: int, letter: str) -> int | None:
    """A number, or None where the firmware left it as the driver sets it before: all bits."""
    return None if value in (-1, (1 << 8 * struct.calcsize("<" + letter)) - 1) else value


def _attributes(data: bytes, names: list[str]) -> Iterator[tuple[str, Value]]:
    """Revision 1.9: a count, then for each attribute 64 bits (unit 8, type 4, id 10, instances 10), and its values
    without space between (AMDGPU_METRICS_ENC_ATTR and DECLARE_SMU_METRICS_CLASS in Linux)."""
    if len(data) < 8:
        raise Malformed(f"{len(data)} bytes are less than a header")
    (count,) = struct.unpack_from("<i", data, 4)
    at = 8
    if not 0 <= count <= len(data) // 9:
        raise Malformed(f"{count} attributes do not fit into {len(data)} bytes")
    for _ in range(count):
        if at + 8 > len(data):
            raise Malformed(f"it ends within its {count} attributes")
        (code,) = struct.unpack_from("<Q", data, at)
        kind, name, number = code >> 20 & 15, code >> 10 & 0x3FF, code & 0x3FF
        if code >> 32 or kind >= len(_TYPES) or not number:
            raise Malformed(f"{code:#x} at byte {at} describes no attribute")
        letter = _TYPES[kind]
        field = Field("", letter, at + 8, number if number > 1 else 0)
        if field.end > len(data):
            raise Malformed(f"it ends within the attribute at byte {at}")
        if name < len(names):
            yield names[name], _value(data, field)
        at = field.end
