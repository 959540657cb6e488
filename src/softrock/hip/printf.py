"""Device printf: records of the buffer to text, and text to the program's own output streams.

The layout of records is described in :mod:`softrock.compiler.devlib.layout`; formats are C's.
"""

from __future__ import annotations

import re
import struct
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from softrock.gpu.device import Function

_SPEC = re.compile(
    rb"%(?P<flags>[-+ #0]*)(?P<width>\*|\d*)(?P<precision>\.(?:\*|\d*))?"
    rb"(?P<length>hh|h|ll|l|z|j|t|L|q)?(?P<kind>[a-zA-Z%])"
)
_BITS = {b"hh": 8, b"h": 16, None: 32, b"": 32}
_INTEGERS = b"diouxXc"
_FLOATS = b"fFeEgGaA"


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
        flags, width, precision = spec["flags"], spec["width"], spec["precision"]
        if width == b"*":
            value = _signed(self.word(), 32)
            flags, width = (flags + b"-", str(-value).encode()) if value < 0 else (flags, str(value).encode())
        if precision == b".*":
            value = _signed(self.word(), 32)
            precision = None if value < 0 else f".{value}".encode()
        head = b"%" + flags + width + (precision or b"")
        if kind in _INTEGERS:
            return _integer(head, kind, self.word(), _BITS.get(spec["length"], 64))
        if kind in _FLOATS:
            return _float(head, kind, self.number())
        if kind == b"s":
            return (head + b"s") % self.text()
        if kind == b"p":
            return (b"%" + flags + width + b"s") % f"{self.word():#x}".encode()
        if kind == b"n":
            self.word()
            return b""
        return spec.group()


def _signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def _integer(head: bytes, kind: bytes, value: int, bits: int) -> bytes:
    if kind == b"c":
        return (head + b"c") % (value & 0xFF)
    if kind in b"di":
        return (head + b"d") % _signed(value, bits)
    value &= (1 << bits) - 1
    if kind == b"o" and b"#" in head:
        return (head.replace(b"#", b"") + b"s") % (b"0%o" % value if value else b"0")
    if kind in b"xX" and b"#" in head and not value:
        head = head.replace(b"#", b"")
    return (head + (b"d" if kind == b"u" else kind)) % value


def _float(head: bytes, kind: bytes, value: float) -> bytes:
    if value != value or value in (float("inf"), float("-inf")):
        head = b"%" + head[1:].replace(b"0", b"", 1) if head[1:2] == b"0" else head
        sign = b"+" if b"+" in head and value > 0 else b""
        text = sign + f"{value:f}".encode()
        plain = re.sub(rb"[+ #]|\..*", b"", head)
        return (plain + b"s") % (text.upper() if kind.isupper() else text)
    if kind in b"aA":
        return _hexadecimal(head, kind, value)
    return (head + kind) % value


def _hexadecimal(head: bytes, kind: bytes, value: float) -> bytes:
    mantissa, _, exponent = value.hex().partition("p")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    text = f"{mantissa}p{exponent}".encode()
    plain = re.sub(rb"[+ #]|\..*", b"", head)
    return (plain + b"s") % (text.upper() if kind == b"A" else text)
