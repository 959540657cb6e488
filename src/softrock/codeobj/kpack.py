"""kpack archives (``.kpack``): code objects that ROCm's packages keep apart from the host libraries, by target.

Layout, little-endian: magic ``KPAK``, version u32 (1), offset of the table of contents u64; the code objects; the
table, a MessagePack map up to the end of the file. Its key ``toc`` maps a library and the number of its bundle
(``lib/librocblas.so.4#0``) to targets, and those to ``type``, ``ordinal`` and ``original_size``. With
``compression_scheme`` none, ``blobs`` has offset and size by ordinal; with zstd-per-kernel the region at
``zstd_offset`` holds a count u32, then for each ordinal a size u32 and a zstd frame.

A host library whose code was moved there has a section ``.rocm_kpack_ref``, a MessagePack map of ``kernel_name`` (the
library as the table names it) and ``kpack_search_paths`` (with ``@GFXARCH@`` for the target).

Source of the formats: shared/kpack in github.com/ROCm/rocm-systems (runtime/src/toc_parser.cpp, runtime/src/loader.cpp
and python/rocm_kpack), as of 2026.
"""

from __future__ import annotations

import struct
from typing import Any, NamedTuple, TypeGuard

from softrock.codeobj.compressed import unzstd
from softrock.codeobj.elf import Elf
from softrock.core.errors import CodeObjectError

KPACK_MAGIC = b"KPAK"
REFERENCE_SECTION = ".rocm_kpack_ref"
_HEADER = struct.Struct("<4sIQ")
_SIZE = struct.Struct("<I")
_VERSION = 1
_NONE, _ZSTD = "none", "zstd-per-kernel"
_LARGEST_TABLE = 256 << 20
_LARGEST_REFERENCE = 1 << 20


class Packed(NamedTuple):
    """A code object of an archive.

    Attributes:
        binary: the library and bundle it belongs to, e.g. ``lib/librocblas.so.4#0``.
        target: target ID as the table gives it.
        kind: ``hsaco``, or what else the table says.
        ordinal: its number in the archive.
        size: unpacked bytes, None where the table does not tell.
    """

    binary: str
    target: str
    kind: str
    ordinal: int
    size: int | None


class Reference(NamedTuple):
    """Where a host library's code is kept: its name in the table, and paths with ``@GFXARCH@`` for a target."""

    name: str
    paths: tuple[str, ...]


class Kpack:
    """An archive. Its code objects are read when they are asked for.

    Attributes:
        name: what to call it in messages.
        group: what it belongs to, e.g. ``blas_lib``.
        targets: target IDs it says it is for.
        compression: empty or ``zstd``.
        entries: its code objects, each ordinal once.

    Raises:
        CodeObjectError: it is no kpack archive, corrupt, or of an unknown version.
    """

    def __init__(self, data: bytes | memoryview, name: str) -> None:
        self.name = name
        self._data = memoryview(data)
        if len(data) < _HEADER.size or data[:4] != KPACK_MAGIC:
            raise self._error("its header is cut short")
        _, version, start = _HEADER.unpack(self._data[: _HEADER.size])
        if version != _VERSION:
            raise self._error(f"version {version} is not known ({_VERSION} is)")
        if not _HEADER.size <= start < len(data) or len(data) - start > _LARGEST_TABLE:
            raise self._error(f"its table of contents is said to stand at {start:#x} of {len(data):#x} bytes")
        table = _document(bytes(self._data[start:]))
        if table is None:
            raise self._error("its table of contents is no MessagePack map")
        scheme = table.get("compression_scheme", _NONE)
        if scheme not in (_NONE, _ZSTD):
            raise self._error(f"compression {scheme!r:.40} is not known")
        self.compression = "zstd" if scheme == _ZSTD else ""
        group, targets = table.get("group_name", ""), table.get("gfx_arches", [])
        self.group = group if isinstance(group, str) else ""
        self.targets = tuple(t for t in targets if isinstance(t, str)) if isinstance(targets, list) else ()
        self._places = self._frames(table) if self.compression else self._blobs(table)
        self.entries = self._entries(table.get("toc", {}))

    def _error(self, what: str) -> CodeObjectError:
        return CodeObjectError(f"{self.name} is a corrupt kpack archive: {what}", hint="fetch or build it again")

    def _blobs(self, table: dict[Any, Any]) -> list[tuple[int, int]]:
        rows = table.get("blobs", [])
        places: list[tuple[int, int]] = []
        for row in rows if isinstance(rows, list) else ():
            offset, size = (row.get("offset"), row.get("size")) if isinstance(row, dict) else (None, None)
            if not _whole(offset) or not _whole(size) or offset + size > len(self._data):
                raise self._error(f"code object {len(places)} is outside the file")
            places.append((offset, size))
        return places

    def _frames(self, table: dict[Any, Any]) -> list[tuple[int, int]]:
        start, length = table.get("zstd_offset"), table.get("zstd_size")
        if not _whole(start) or not _whole(length) or start + length > len(self._data) or length < _SIZE.size:
            raise self._error("its compressed region is outside the file")
        end = start + length
        (count,) = _SIZE.unpack(self._data[start : start + _SIZE.size])
        at = start + _SIZE.size
        places: list[tuple[int, int]] = []
        for ordinal in range(count):
            head = self._data[at : min(at + _SIZE.size, end)]
            size = _SIZE.unpack(head)[0] if len(head) == _SIZE.size else length
            at += _SIZE.size
            if at + size > end:
                raise self._error(f"code object {ordinal} of {count} is outside its compressed region")
            places.append((at, size))
            at += size
        return places

    def _entries(self, table: object) -> tuple[Packed, ...]:
        found: dict[int, Packed] = {}
        for binary, by_target in table.items() if isinstance(table, dict) else ():
            for target, row in by_target.items() if isinstance(by_target, dict) else ():
                if not isinstance(row, dict) or not isinstance(binary, str) or not isinstance(target, str):
                    raise self._error("its table of contents has an entry of a wrong type")
                ordinal, size, kind = row.get("ordinal"), row.get("original_size"), row.get("type", "hsaco")
                if not _whole(ordinal) or ordinal >= len(self._places) or not (size is None or _whole(size)):
                    raise self._error(f"the entry {binary[:200]} for {target[:40]} names no code object that is there")
                found.setdefault(ordinal, Packed(binary, target, str(kind), ordinal, size))
        return tuple(found.values())

    def size_of(self, entry: Packed) -> int:
        """Unpacked bytes of a code object.

        Raises:
            CodeObjectError: neither the table nor the frame tells.
        """
        offset, size = self._places[entry.ordinal]
        if not self.compression:
            return size
        if entry.size is not None:
            return entry.size
        import zstandard

        try:
            told = int(zstandard.get_frame_parameters(self._data[offset : offset + min(size, 32)]).content_size)
        except zstandard.ZstdError as error:
            raise self._error(f"{entry.binary} is no zstd frame ({error})") from None
        if told >= 1 << 63:
            raise self._error(f"the size of {entry.binary} stands nowhere")
        return told

    def read(self, entry: Packed) -> memoryview:
        """A code object's bytes.

        Raises:
            CodeObjectError: it is corrupt.
        """
        offset, size = self._places[entry.ordinal]
        stored = self._data[offset : offset + size]
        if not self.compression:
            return stored
        try:
            plain = bytearray(self.size_of(entry))
        except (MemoryError, OverflowError):
            raise self._error(f"{entry.binary} claims {entry.size} bytes, more than the memory holds") from None
        unzstd(stored, plain, lambda what: self._error(f"{entry.binary}: {what}"))
        return memoryview(plain).toreadonly()


def reference(elf: Elf) -> Reference | None:
    """Where a host library says that its GPU code is kept, None where it does not.

    Raises:
        CodeObjectError: the section is corrupt.
    """
    section = elf.section(REFERENCE_SECTION)
    if section is None:
        return None
    table = _document(bytes(elf.view(section)[:_LARGEST_REFERENCE]))
    name, paths = (table.get("kernel_name"), table.get("kpack_search_paths")) if table else (None, None)
    if not isinstance(name, str) or not isinstance(paths, list):
        raise elf.error(f"has a corrupt section {REFERENCE_SECTION}")
    return Reference(name, tuple(each for each in paths if isinstance(each, str)))


def _whole(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 <= value < 1 << 63


def _document(data: bytes) -> dict[Any, Any] | None:
    """The MessagePack map that `data` begins with (sections may be padded), or None."""
    import msgpack

    unpacker = msgpack.Unpacker(raw=False, strict_map_key=False, max_buffer_size=len(data) or 1)
    try:
        unpacker.feed(data)
        found = unpacker.unpack()
    except (ValueError, TypeError, OverflowError, RecursionError, msgpack.UnpackException):
        return None
    return found if isinstance(found, dict) else None
