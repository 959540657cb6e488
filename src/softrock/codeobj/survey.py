"""How many kernels a code object has, and how many of them spill: without building one object for each.

A library may hold half a million kernels; this reads their symbols, two fields of their descriptors and three numbers
of their notes, ten times as fast as :class:`softrock.codeobj.CodeObject`, and checks only what it reads.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from softrock.codeobj import metadata
from softrock.codeobj.elf import (
    ET_REL,
    PT_LOAD,
    SHN_LORESERVE,
    SHN_UNDEF,
    SHT_SYMTAB,
    STT_NOTYPE,
    STT_OBJECT,
    Elf,
    RawSymbol,
)
from softrock.codeobj.kernel import DESCRIPTOR_SIZE
from softrock.codeobj.loader import target_of
from softrock.codeobj.targets import TargetId

_PRIVATE_SIZE = struct.Struct("<4xI48xH6x")
_DYNAMIC_STACK = 1 << 11


class Counts(NamedTuple):
    """What :func:`survey` finds.

    Attributes:
        target_id, version: as in a code object.
        names: symbols of all kernels, without ``.kd``.
        spilling: those that keep vector or scalar registers in memory for want of more.
        scratch: those that use scratch memory, or may (a dynamic stack).
        agprs: those that use accumulation registers.
    """

    target_id: TargetId
    version: int
    names: tuple[str, ...]
    spilling: int
    scratch: int
    agprs: int

    @property
    def kernels(self) -> int:
        """How many kernels there are."""
        return len(self.names)


def survey(elf: Elf) -> Counts:
    """Count the kernels of a code object.

    Raises:
        CodeObjectError: it is no code object, or corrupt.
    """
    target, version = target_of(elf)
    noted, spilling, agprs = metadata.tally(elf)
    linked = elf.kind != ET_REL
    found = _descriptors(elf.dynamic_symbols() if linked else elf.symbols(SHT_SYMTAB))
    if linked and len(found) < noted:
        found |= _descriptors(elf.symbols(SHT_SYMTAB))
    names = tuple(each.removesuffix(".kd") for each in found)
    return Counts(target, version, names, spilling, _scratch(elf, found), agprs)


def _descriptors(symbols: list[RawSymbol]) -> dict[str, RawSymbol]:
    return {
        each.name: each
        for each in symbols
        if each.size == DESCRIPTOR_SIZE
        and each.name.endswith(".kd")
        and each.kind in (STT_OBJECT, STT_NOTYPE)
        and SHN_UNDEF != each.section < SHN_LORESERVE
    }


def _scratch(elf: Elf, found: dict[str, RawSymbol]) -> int:
    """How many descriptors ask for scratch memory."""
    count = 0
    start = end = base = 0  # of the segment that the last one stood in
    for name, each in found.items():
        if elf.kind == ET_REL:
            at = _section_offset(elf, each, name) + each.value
        else:
            if not start <= each.value < end:
                start, end, base = _segment(elf, each, name)
            at = base + each.value - start
        size, properties = _PRIVATE_SIZE.unpack(elf.bytes_at(at, DESCRIPTOR_SIZE, f"the descriptor of kernel {name}"))
        count += bool(size or properties & _DYNAMIC_STACK)
    return count


def _section_offset(elf: Elf, symbol: RawSymbol, name: str) -> int:
    if symbol.section >= len(elf.sections):
        raise elf.error(f"is corrupt: the descriptor of kernel {name} is in a section that it does not have")
    return elf.sections[symbol.section].offset


def _segment(elf: Elf, symbol: RawSymbol, name: str) -> tuple[int, int, int]:
    """The addresses of the segment that a descriptor stands in, and its file offset."""
    for each in elf.segments[:256]:
        if each.kind == PT_LOAD and each.vaddr <= symbol.value < each.vaddr + each.filesz:
            return each.vaddr, each.vaddr + each.filesz, each.offset
    raise elf.error(f"is corrupt: the descriptor of kernel {name} is in no loaded segment")
