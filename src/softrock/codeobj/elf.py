"""A small bounds-checked reader of little-endian ELF64 files.

It reads what softrock needs and no more, in a few hundred microseconds. Whatever the bytes say, it either
answers or raises :class:`~softrock.core.errors.CodeObjectError` naming the file and what is wrong.

Source of the layouts: the System V gABI, chapters 4 and 5.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, NamedTuple

from softrock.core.errors import CodeObjectError

MAGIC = b"\x7fELF"
ET_REL, ET_EXEC, ET_DYN = 1, 2, 3
EM_X86_64, EM_AARCH64, EM_AMDGPU = 62, 183, 224
PT_LOAD, PT_DYNAMIC, PT_NOTE = 1, 2, 4
PF_X, PF_W, PF_R = 1, 2, 4
SHT_PROGBITS, SHT_SYMTAB, SHT_STRTAB, SHT_RELA, SHT_NOTE, SHT_NOBITS, SHT_DYNSYM = 1, 2, 3, 4, 7, 8, 11
SHF_WRITE, SHF_ALLOC, SHF_EXECINSTR = 1, 2, 4
SHN_UNDEF, SHN_LORESERVE, SHN_ABS = 0, 0xFF00, 0xFFF1
STB_LOCAL, STB_GLOBAL, STB_WEAK = 0, 1, 2
STT_NOTYPE, STT_OBJECT, STT_FUNC, STT_SECTION, STT_FILE = 0, 1, 2, 3, 4
DT_STRTAB, DT_SYMTAB, DT_HASH, DT_RELA, DT_RELASZ, DT_RELAENT, DT_STRSZ = 5, 6, 4, 7, 8, 9, 10

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELA = struct.Struct("<QQq")
_NOTE = struct.Struct("<III")
_DYN = struct.Struct("<qQ")


class Segment(NamedTuple):
    """A program header; addresses and sizes in bytes."""

    kind: int
    flags: int
    offset: int
    vaddr: int
    filesz: int
    memsz: int
    align: int


class Section(NamedTuple):
    """A section header with its name; addresses and sizes in bytes."""

    name: str
    kind: int
    flags: int
    addr: int
    offset: int
    size: int
    link: int
    info: int
    entsize: int


class RawSymbol(NamedTuple):
    """A symbol table entry with its name."""

    name: str
    binding: int
    kind: int
    section: int
    value: int
    size: int


class Rela(NamedTuple):
    """A relocation with addend; `symbol` is an index into the symbol table that goes with it."""

    offset: int
    kind: int
    symbol: int
    addend: int


class Note(NamedTuple):
    """An entry of a note section or segment."""

    owner: bytes
    kind: int
    desc: bytes


class Elf:
    """A parsed ELF64 file.

    Attributes:
        data: the whole file: bytes, or a view of a mapped file, of which only what is asked for gets read.
        name: what to call it in messages.
        kind, machine, flags, os_abi, abi_version: fields of the header.
        segments, sections: the two header tables, in file order.
    """

    def __init__(self, data: bytes | memoryview, name: str) -> None:
        self.data = data
        self.name = name
        if data[:4] != MAGIC:
            raise self.error("is no ELF file (it does not begin with 7f 45 4c 46)")
        head = self._unpack(_HEADER, 0, "ELF header")
        ident = head[0]
        if ident[4] != 2 or ident[5] != 1:
            raise self.error("is no little-endian 64-bit ELF file")
        self.os_abi, self.abi_version = ident[7], ident[8]
        self.kind, self.machine = head[1], head[2]
        self.flags: int = head[7]
        self.segments = self._read_segments(head[5], head[9], head[10])
        self.sections = self._read_sections(head[6], head[11], head[12], head[13])

    def error(self, what: str, hint: str | None = None) -> CodeObjectError:
        """An error about this file: `what` continues the sentence that begins with its name."""
        return CodeObjectError(
            f"{self.name} {what}", hint=hint or "rebuild the file, or fetch it again if it was cut short"
        )

    def bytes_at(self, offset: int, size: int, what: str) -> bytes:
        """`size` bytes of the file at `offset`; an error naming `what` where they are not all there."""
        if offset < 0 or size < 0 or offset + size > len(self.data):
            raise self.error(
                f"is corrupt or truncated: {what} at offset {offset:#x} with {size:#x} bytes "
                f"runs past its end ({len(self.data):#x} bytes)"
            )
        return bytes(self.data[offset : offset + size])

    def _unpack(self, layout: struct.Struct, offset: int, what: str) -> tuple[Any, ...]:
        return layout.unpack(self.bytes_at(offset, layout.size, what))

    def _table(self, layout: struct.Struct, offset: int, count: int, what: str) -> list[tuple[int, ...]]:
        return list(layout.iter_unpack(self.bytes_at(offset, count * layout.size, what)))

    def _read_segments(self, offset: int, entry: int, count: int) -> list[Segment]:
        if not count:
            return []
        if entry != _SEGMENT.size:
            raise self.error(f"is corrupt: program headers of {entry} bytes (they have {_SEGMENT.size})")
        rows = self._table(_SEGMENT, offset, count, "program header table")
        return [Segment(r[0], r[1], r[2], r[3], r[5], r[6], r[7]) for r in rows]

    def _read_sections(self, offset: int, entry: int, count: int, names: int) -> list[Section]:
        if not offset:
            return []
        if entry != _SECTION.size:
            raise self.error(f"is corrupt: section headers of {entry} bytes (they have {_SECTION.size})")
        if not count:  # more than 65279 sections: the count stands in the first header
            count = self._table(_SECTION, offset, 1, "section header")[0][5]
        rows = self._table(_SECTION, offset, count, "section header table")
        if names == 0xFFFF and rows:
            names = rows[0][6]
        table = b""
        if 0 < names < len(rows):
            table = self.bytes_at(rows[names][4], rows[names][5], "section name table")
        text = self._names(table)
        return [Section(text(r[0]), r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[9]) for r in rows]

    def text_at(self, table: bytes, offset: int) -> str:
        """The zero-terminated string at `offset` of a string table (empty where there is no table)."""
        if not table and not offset:
            return ""
        end = table.find(b"\0", offset)
        if offset >= len(table) or end < 0:
            raise self.error(
                f"is corrupt: a name at {offset:#x} is outside its string table ({len(table):#x} bytes)"
            )
        return table[offset:end].decode("utf-8", "replace")

    def _names(self, table: bytes) -> Callable[[int], str]:
        """Like :meth:`text_at`, for many names. Names share no bytes but their ends, so together they cannot be much
        longer than their table; where they are, a small file would fill the memory.
        """
        known: dict[int, str] = {}
        room = 8 * len(table) + 65536

        def text(offset: int) -> str:
            nonlocal room
            found = known.get(offset)
            if found is None:
                found = known[offset] = self.text_at(table, offset)
                room -= len(found)
                if room < 0:
                    raise self.error("is corrupt: the names in a string table overlap")
            return found

        return text

    def view(self, section: Section) -> memoryview:
        """A section's bytes where they stand in the file, not copied."""
        if section.kind in (0, SHT_NOBITS):
            return memoryview(b"")
        if section.offset + section.size > len(self.data):
            self.content(section)  # says what is wrong
        return memoryview(self.data)[section.offset : section.offset + section.size]

    def content(self, section: Section) -> bytes:
        """A section's bytes (empty for sections that occupy no space in the file)."""
        if section.kind in (0, SHT_NOBITS):
            return b""
        return self.bytes_at(section.offset, section.size, f"section {section.name or '(unnamed)'}")

    def section(self, name: str) -> Section | None:
        """The first section of that name, or None."""
        return next((each for each in self.sections if each.name == name), None)

    def file_offset(self, address: int, size: int, what: str) -> int:
        """Where in the file a virtual address range stands (it must be in one loaded segment)."""
        for each in self.segments:
            if each.kind == PT_LOAD and each.vaddr <= address and address + size <= each.vaddr + each.filesz:
                return each.offset + address - each.vaddr
        raise self.error(
            f"is corrupt: {what} at address {address:#x} with {size:#x} bytes is in no loaded segment"
        )

    def notes(self) -> list[Note]:
        """All notes, of note segments where there are any, else of note sections."""
        blocks = [
            (each.offset, each.filesz, each.align) for each in self.segments if each.kind == PT_NOTE
        ] or [(each.offset, each.size, 4) for each in self.sections if each.kind == SHT_NOTE]
        if sum(size for _, size, _ in blocks) > 2 * len(self.data):
            raise self.error("is corrupt: its note tables overlap")
        found: list[Note] = []
        for offset, size, align in blocks:
            block = self.bytes_at(offset, size, "note table")
            step = 8 if align == 8 else 4
            at = 0
            while at + _NOTE.size <= len(block):
                name_size, desc_size, kind = _NOTE.unpack_from(block, at)
                start = at + _NOTE.size
                desc = (start + name_size + step - 1) // step * step
                end = desc + desc_size
                if end > len(block):
                    raise self.error(f"is corrupt: a note at offset {offset + at:#x} runs past its table")
                owner = block[start : start + name_size].rstrip(b"\0")
                found.append(Note(owner, kind, block[desc:end]))
                at = (end + step - 1) // step * step
        return found

    def symbols(self, kind: int) -> list[RawSymbol]:
        """The symbol table of one kind (SHT_SYMTAB or SHT_DYNSYM); empty where there is none."""
        for each in self.sections:
            if each.kind == kind:
                if each.link >= len(self.sections):
                    raise self.error(f"is corrupt: symbol table {each.name} names string table {each.link}")
                names = self.content(self.sections[each.link])
                return self._symbols(self.content(each), names)
        return []

    def _symbols(self, block: bytes, names: bytes) -> list[RawSymbol]:
        if len(block) % _SYMBOL.size:
            raise self.error(
                f"is corrupt: a symbol table of {len(block)} bytes is no multiple of {_SYMBOL.size}"
            )
        text = self._names(names)
        return [RawSymbol(text(r[0]), r[1] >> 4, r[1] & 15, r[3], r[4], r[5]) for r in _SYMBOL.iter_unpack(block)]

    def _dynamic(self) -> dict[int, int]:
        for each in self.segments:
            if each.kind == PT_DYNAMIC:
                block = self.bytes_at(each.offset, each.filesz // _DYN.size * _DYN.size, "dynamic table")
                values: dict[int, int] = {}
                for tag, value in _DYN.iter_unpack(block):
                    if tag == 0:
                        break
                    values[tag] = value
                return values
        return {}

    def dynamic_symbols(self) -> list[RawSymbol]:
        """The dynamic symbols, found by their section or, without sections, by the dynamic table."""
        found = self.symbols(SHT_DYNSYM)
        dynamic = {} if found else self._dynamic()
        if DT_SYMTAB not in dynamic or DT_HASH not in dynamic:
            return found
        place = self.file_offset(dynamic[DT_HASH], 8, "symbol hash table")
        count = int.from_bytes(self.data[place + 4 : place + 8], "little")  # nchain is the number of symbols
        size = count * _SYMBOL.size
        block = self.bytes_at(
            self.file_offset(dynamic[DT_SYMTAB], size, "dynamic symbols"), size, "dynamic symbols"
        )
        length = dynamic.get(DT_STRSZ, 0)
        start = self.file_offset(dynamic.get(DT_STRTAB, 0), length, "dynamic string table")
        return self._symbols(block, self.bytes_at(start, length, "dynamic string table"))

    def dynamic_relocations(self) -> list[Rela]:
        """The relocations to apply at load time."""
        dynamic = self._dynamic()
        size = dynamic.get(DT_RELASZ, 0)
        if DT_RELA not in dynamic or not size:
            return []
        if dynamic.get(DT_RELAENT, _RELA.size) != _RELA.size or size % _RELA.size:
            raise self.error("is corrupt: its relocation table has entries of a wrong size")
        start = self.file_offset(dynamic[DT_RELA], size, "relocation table")
        return self._relas(self.bytes_at(start, size, "relocation table"))

    def _relas(self, block: bytes) -> list[Rela]:
        return [
            Rela(at, info & 0xFFFFFFFF, info >> 32, addend) for at, info, addend in _RELA.iter_unpack(block)
        ]

    def section_relocations(self, target: int) -> list[Rela]:
        """The relocations of a relocatable file that apply to section number `target`."""
        found: list[Rela] = []
        for each in self.sections:
            if each.kind == SHT_RELA and each.info == target:
                block = self.content(each)
                found += self._relas(block[: len(block) // _RELA.size * _RELA.size])
        return found
