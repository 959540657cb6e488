"""Device printf: records of the buffer to text, and text to the program's own output streams.

The layout of records is described in :mod:`softrock.compiler.devlib.layout`; formats are C's.
"""

from __future__ import annotations

import math
import re
import struct
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from softrock.gpu.device import Function

_SPEC = re.compile(
    rb"%(?P<flags>[-+ #0]*)(?P<width>\*|\d*)(?P<precision>\.(?:\*|\d*))?"
    rb"(?P<length>hh|h|ll|l|z|j|t|L|q)?(?P<kind>[a-zA-Z%])"
)
_BITS = {b"hh": 8, b"h": 16, None: 32, b"": 32}
_INTEGERS = b"diouxX"
_FLOATS = b"fFeEgGaA"
_WIDEST = 1 << 16
"""Fields wider than this are cut: a kernel's argument must not make the host run out of memory."""


def _to_python(data: bytes, to_stderr: bool) -> None:
    stream = sys.stderr if to_stderr else sys.stdout
    stream.write(data.decode("utf-8", "replace"))
    stream.flush()


write: Callable[[bytes, bool], None] = _to_python
"""Where printed bytes go; the C library puts its own writer here, so that they keep their place among the program's."""


def set_writer(writer: Callable[[bytes, bool], None]) -> None:
    """Send printed bytes through `writer(data, to_stderr)`."""
    global write
    write = writer


def formats_of(function: Function) -> Mapping[int, bytes]:
    """Format strings of a kernel's code object by their numbers."""
    metadata = getattr(getattr(function, "module", None), "code", None)
    metadata = getattr(metadata, "metadata", None)
    found: dict[int, bytes] = {}
    for entry in metadata.printf if metadata is not None else ():
        head, _, text = entry.partition(",")
        try:
            found[int(head.rpartition(":")[2], 16)] = text.encode("utf-8", "surrogateescape")
        except ValueError:
            continue
    return found


def show(records: bytes, formats: Mapping[int, bytes]) -> None:
    """Print all records of a buffer. A record that makes no sense ends it with a note."""
    at = 0
    while at + 4 <= len(records):
        (control,) = struct.unpack_from("<I", records, at)
        size = control >> 2
        if size < 8 or at + size > len(records):
            write(b"softrock: the printf buffer is damaged; the rest of it is not shown\n", True)
            return
        write(render(records[at : at + size], formats), bool(control & 1))
        at += size


def render(record: bytes, formats: Mapping[int, bytes]) -> bytes:
    """The text of one record."""
    (control,) = struct.unpack_from("<I", record)
    at = 4
    if control & 2:
        (number,) = struct.unpack_from("<Q", record, at)
        at += 8
        text = formats.get(number)
        if text is None:
            return f"softrock: printf with an unknown format ({number:#x})\n".encode()
    else:
        end = record.find(b"\0", at)
        text = record[at : end if end >= 0 else len(record)]
        at += (len(text) + 8) // 8 * 8
    return _Arguments(record, at).fill(text)


class _Arguments:
    """The arguments of a record, taken one after the other."""

    def __init__(self, record: bytes, at: int) -> None:
        self.record = record
        self.at = at

    def word(self) -> int:
        """The next eight bytes as a number; 0 past the end."""
        if self.at + 8 > len(self.record):
            return 0
        (value,) = struct.unpack_from("<Q", self.record, self.at)
        self.at += 8
        return int(value)

    def number(self) -> float:
        """The next eight bytes as a double."""
        return float(struct.unpack("<d", struct.pack("<Q", self.word()))[0])

    def text(self) -> bytes:
        """The next argument as a C string."""
        end = self.record.find(b"\0", self.at)
        if end < 0:
            return b"(null)"
        found = self.record[self.at : end]
        self.at += (len(found) + 8) // 8 * 8
        return found

    def fill(self, text: bytes) -> bytes:
        """The format with its arguments in place."""
        return _SPEC.sub(self._one, text)

    def _one(self, spec: re.Match[bytes]) -> bytes:
        kind = spec["kind"]
        if kind == b"%":
            return b"%"
        shape = self._shape(spec)
        if kind == b"c":
            return shape.pad(bytes([self.word() & 0xFF]))
        if kind in _INTEGERS:
            return _integer(shape, kind, self.word(), _BITS.get(spec["length"], 64))
        if kind in _FLOATS:
            return _float(shape, kind, self.number())
        if kind == b"s":
            text = self.text()
            return shape.pad(text if shape.precision is None else text[: shape.precision])
        if kind == b"p":
            return shape.pad(f"{self.word():#x}".encode())
        if kind == b"n":
            self.word()
            return b""
        return spec.group()

    def _shape(self, spec: re.Match[bytes]) -> _Shape:
        flags, precision = spec["flags"], spec["precision"]
        width = _signed(self.word(), 32) if spec["width"] == b"*" else int(spec["width"] or 0)
        if width < 0:
            flags, width = flags + b"-", -width
        places = None
        if precision is not None:
            places = _signed(self.word(), 32) if precision == b".*" else int(precision[1:] or 0)
            places = None if places < 0 else places
        return _Shape(flags, min(width, _WIDEST), places if places is None else min(places, _WIDEST))


@dataclass(frozen=True, slots=True)
class _Shape:
    """Flags, width and precision of a conversion."""

    flags: bytes
    width: int
    precision: int | None

    def pad(self, text: bytes) -> bytes:
        """Fill with blanks up to the width."""
        return text.ljust(self.width) if b"-" in self.flags else text.rjust(self.width)

    def number(self, sign: bytes, digits: bytes, *, zeros: bool) -> bytes:
        """A number with its sign or prefix; `zeros` allows the flag 0."""
        if zeros and b"0" in self.flags and b"-" not in self.flags:
            digits = digits.rjust(self.width - len(sign), b"0")
        return self.pad(sign + digits)

    def sign(self, negative: bool) -> bytes:
        """What stands before a signed number."""
        return b"-" if negative else b"+" if b"+" in self.flags else b" " if b" " in self.flags else b""


def _signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def _integer(shape: _Shape, kind: bytes, value: int, bits: int) -> bytes:
    sign = b""
    if kind in b"di":
        value = _signed(value, bits)
        sign, value = shape.sign(value < 0), abs(value)
    else:
        value &= (1 << bits) - 1
    digits = {b"o": b"%o", b"x": b"%x", b"X": b"%X"}.get(kind, b"%d") % value
    if shape.precision is not None:
        digits = b"" if not value and not shape.precision else digits.rjust(shape.precision, b"0")
    if b"#" in shape.flags:
        if kind == b"o" and not digits.startswith(b"0"):
            digits = b"0" + digits
        if kind in b"xX" and value:
            sign = b"0" + kind
    return shape.number(sign, digits, zeros=shape.precision is None)


def _float(shape: _Shape, kind: bytes, value: float) -> bytes:
    sign = shape.sign(math.copysign(1.0, value) < 0)
    value = abs(value)
    if not math.isfinite(value):
        text = b"nan" if value != value else b"inf"
        return shape.number(sign, text.upper() if kind.isupper() else text, zeros=False)
    if kind in b"aA":
        prefix, digits = _hexadecimal(value)
        text = digits.upper() if kind == b"A" else digits
        return shape.number(sign + (prefix.upper() if kind == b"A" else prefix), text, zeros=True)
    places = b"" if shape.precision is None else b".%d" % shape.precision
    alternative = b"#" if b"#" in shape.flags else b""
    return shape.number(sign, (b"%" + alternative + places + kind) % value, zeros=True)


def _hexadecimal(value: float) -> tuple[bytes, bytes]:
    """Prefix and digits of %a without a precision (a precision is ignored)."""
    mantissa, _, exponent = value.hex().partition("p")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return b"0x", f"{mantissa.removeprefix('0x')}p{exponent}".encode()
