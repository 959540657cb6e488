"""What stands inside zip and tar archives and compressed files, read in memory and within a budget.

Sources of the layouts: POSIX pax (ustar and its extended headers) and GNU tar's manual; zip is left to the standard
library.
"""

from __future__ import annotations

import bz2
import io
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import Protocol

from softrock.codeobj.bundle import ARCHIVE_MAGIC, BUNDLE_MAGIC
from softrock.codeobj.compressed import COMPRESSED_MAGIC
from softrock.codeobj.elf import MAGIC
from softrock.codeobj.kpack import KPACK_MAGIC
from softrock.core.errors import CodeObjectError
from softrock.inspect.limits import Budget, clean

HEAD = 512
"""Bytes that :func:`sniff` wants to see."""
_MAGICS = (
    (MAGIC, "elf"),
    (BUNDLE_MAGIC, "bundle"),
    (COMPRESSED_MAGIC, "compressed"),
    (KPACK_MAGIC, "kpack"),
    (ARCHIVE_MAGIC, "ar"),
    (b"!<thin>\n", "thin"),
    (b"PK\x03\x04", "zip"),
    (b"\x1f\x8b\x08", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\0", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
)
STREAMS = ("gzip", "bzip2", "xz", "zstd")
_BAD_ZIP = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, RuntimeError, OSError, EOFError, ValueError, OverflowError,
    struct.error, MemoryError, IndexError,
)  # fmt: skip
_BAD_STREAM = (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError, MemoryError)
_PIECE = 16384
_PART = 1 << 20
_LONGEST_NAME = 65536
_BLOCK = 512


def sniff(head: bytes | memoryview) -> str | None:
    """What a file is by its first bytes; None for what can hold no GPU code."""
    start = bytes(head[:HEAD])
    for magic, kind in _MAGICS:
        if start.startswith(magic):
            return kind
    return "tar" if start[257:262] == b"ustar" else None


def _corrupt(name: str, kind: str, what: object) -> CodeObjectError:
    text = clean(str(what) or type(what).__name__, 200)
    return CodeObjectError(f"{name} is a corrupt {kind}: {text}", hint="fetch it again")


# ---- zip ----


class _Window:
    """A view of memory as the file that zipfile wants."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        self._at = 0

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: len(self._data)}[whence]
        if base + offset < 0:
            raise OSError("negative seek position")
        self._at = base + offset
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        end = len(self._data) if size is None or size < 0 else self._at + size
        found = bytes(self._data[self._at : end])
        self._at += len(found)
        return found


def zip_members(data: memoryview, name: str, budget: Budget) -> Iterator[tuple[str, memoryview | CodeObjectError]]:
    """Names of the members that may hold GPU code, and their bytes or why they cannot be read.

    Raises:
        CodeObjectError: the archive itself is corrupt.
    """
    try:
        archive = zipfile.ZipFile(_Window(data))
        members = archive.infolist()
    except _BAD_ZIP as error:
        raise _corrupt(name, "zip archive", error) from None
    for info in members:
        label = clean(info.filename)
        try:
            content = _zip_member(archive, info, f"{name}:{label}", budget)
        except CodeObjectError as error:
            yield label, error
        except _BAD_ZIP as error:
            yield label, _corrupt(f"{name}:{label}", "member of a zip archive", error)
        else:
            if content is not None:
                yield label, content


def _zip_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, budget: Budget) -> memoryview | None:
    if info.is_dir():
        return None
    with archive.open(info) as source:
        head = source.read(HEAD)
        if sniff(head) is None:
            return None
        budget.unpack(info.file_size, name)
        plain = bytearray(info.file_size)
        plain[: len(head)] = head
        target = memoryview(plain)
        at = len(head)
        while at < len(plain) and (part := source.read(min(_PART, len(plain) - at))):
            target[at : at + len(part)] = part
            at += len(part)
    if at != info.file_size:
        raise EOFError(f"it has {at} bytes instead of {info.file_size}")
    return target.toreadonly()


# ---- compressed files ----


class Reader(Protocol):
    """Bytes from front to back."""

    def take(self, size: int) -> memoryview:
        """The next `size` bytes, fewer at the end."""

    def skip(self, size: int) -> None:
        """Leave out `size` bytes."""


class Plain:
    """Bytes that stand in memory; what is taken is not copied."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        self._at = 0

    def take(self, size: int) -> memoryview:
        found = self._data[self._at : self._at + size]
        self._at += len(found)
        return found

    def skip(self, size: int) -> None:
        self._at = min(self._at + size, len(self._data))


class Stream:
    """The unpacked bytes of a compressed file; each is counted in the budget before it is held."""

    def __init__(self, data: memoryview, kind: str, name: str, budget: Budget) -> None:
        self._parts = _unpacked(data, kind)
        self._kind, self._name, self._budget = kind, name, budget
        self._left = memoryview(b"")

    def _more(self) -> bool:
        try:
            part = next(self._parts, b"")
        except _BAD_STREAM as error:
            raise _corrupt(self._name, f"{self._kind} file", error) from None
        self._budget.unpack(len(part), self._name)
        self._left = memoryview(part)
        return bool(part)

    def take(self, size: int) -> memoryview:
        out = bytearray()
        while len(out) < size and (self._left or self._more()):
            piece = self._left[: size - len(out)]
            out += piece
            self._left = self._left[len(piece) :]
        return memoryview(out)

    def skip(self, size: int) -> None:
        while size > 0 and (self._left or self._more()):
            count = min(size, len(self._left))
            self._left = self._left[count:]
            size -= count


def _unpacked(data: memoryview, kind: str) -> Iterator[bytes]:
    """Unpacked pieces, each of moderate size and none empty."""
    if kind == "gzip":
        yield from _gunzip(data)
    elif kind == "zstd":
        import zstandard

        try:
            unpacker = zstandard.ZstdDecompressor(max_window_size=1 << 28)
            with unpacker.stream_reader(data, read_across_frames=True, closefd=False) as reader:
                while part := reader.read(_PART):
                    yield part
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from None
    else:
        make = bz2.BZ2Decompressor if kind == "bzip2" else lambda: lzma.LZMADecompressor(memlimit=1 << 28)
        rest = b""
        at = 0
        while at < len(data) or rest:
            stream = make()
            while not stream.eof:
                if stream.needs_input and not rest:
                    rest = bytes(data[at : at + _PIECE])
                    at += len(rest)
                    if not rest:
                        raise EOFError("it is cut short")
                part = stream.decompress(rest if stream.needs_input else b"", _PART)
                rest = b""
                if part:
                    yield part
            rest = stream.unused_data.lstrip(b"\0")


def _gunzip(data: memoryview) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        stream = zlib.decompressobj(31)
        while not stream.eof:
            piece = data[at : at + _PIECE]
            if not piece:
                raise EOFError("it is cut short")
            part = stream.decompress(piece)
            at += len(piece) - len(stream.unused_data)
            if part:
                yield part
        if bytes(data[at : at + 2]) != b"\x1f\x8b":
            return  # padding


# ---- tar ----


def tar_members(reader: Reader, name: str, budget: Budget) -> Iterator[tuple[str, memoryview]]:
    """Names and bytes of the regular files that may hold GPU code.

    Raises:
        CodeObjectError: the archive is corrupt from there on.
    """
    longer = ""
    while True:
        head = bytes(reader.take(_BLOCK))
        if not head.strip(b"\0"):
            return
        size = _tar_number(head[124:136])
        if len(head) < _BLOCK or size is None or _tar_number(head[148:156]) != _tar_sum(head):
            raise _corrupt(name, "tar archive", "no header stands where a member should begin")
        kind, padding = head[156:157], -size % _BLOCK
        if kind in (b"L", b"x"):
            block = bytes(reader.take(min(size, _LONGEST_NAME)))
            reader.skip(size - len(block) + padding)
            longer = block.rstrip(b"\0").decode("utf-8", "replace") if kind == b"L" else _pax_path(block) or longer
            continue
        if kind in (b"0", b"\0", b"7"):
            label = clean(longer or _tar_name(head))
            content = _tar_content(reader, size, f"{name}:{label}", budget)
            if content is not None:
                yield label, content
        else:
            reader.skip(size)
        reader.skip(padding)
        longer = longer if kind == b"g" else ""


def _tar_content(reader: Reader, size: int, name: str, budget: Budget) -> memoryview | None:
    start = reader.take(min(size, HEAD))
    if sniff(start) is None:
        reader.skip(size - len(start))
        return None
    budget.hold(size, name)
    if isinstance(reader, Plain):
        reader.skip(-len(start))
        content = reader.take(size)
    else:
        content = memoryview(bytes(start) + bytes(reader.take(size - len(start))))
    if len(content) != size:
        raise _corrupt(name, "member of a tar archive", f"it has {len(content)} bytes instead of {size}")
    return content


def _tar_number(field: bytes) -> int | None:
    if field[:1] == b"\x80":
        return int.from_bytes(field[1:], "big")
    digits = field.strip(b" \0")
    return int(digits or b"0", 8) if all(each in b"01234567" for each in digits) else None


def _tar_sum(head: bytes) -> int:
    return sum(head) - sum(head[148:156]) + 8 * 32


def _tar_name(head: bytes) -> str:
    name, prefix = head[:100].split(b"\0")[0], head[345:500].split(b"\0")[0]
    return (prefix + b"/" + name if prefix and head[257:263] == b"ustar\0" else name).decode("utf-8", "replace")


def _pax_path(block: bytes) -> str:
    """The path of a pax header: records ``LENGTH key=value\\n``."""
    at = 0
    while at < len(block):
        digits = block[at : at + 20].split(b" ")[0]
        length = int(digits) if digits.isdigit() else 0
        record = block[at + len(digits) + 1 : at + length - 1]
        if record.startswith(b"path="):
            return record[5:].decode("utf-8", "replace")
        if length <= len(digits):
            break
        at += length
    return ""
