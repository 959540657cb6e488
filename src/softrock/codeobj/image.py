"""The memory image of a code object and the relocations that tie it to a load address.

Source: "User Guide for AMDGPU Backend", section Relocation Records.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from softrock.codeobj.elf import PT_LOAD, Elf, RawSymbol, Segment

RELOCATIONS: dict[int, tuple[str, int, bool]] = {
    1: ("R_AMDGPU_ABS32_LO", 4, False),
    2: ("R_AMDGPU_ABS32_HI", 4, False),
    3: ("R_AMDGPU_ABS64", 8, False),
    4: ("R_AMDGPU_REL32", 4, True),
    5: ("R_AMDGPU_REL64", 8, True),
    6: ("R_AMDGPU_ABS32", 4, False),
    7: ("R_AMDGPU_GOTPCREL", 4, True),
    8: ("R_AMDGPU_GOTPCREL32_LO", 4, True),
    9: ("R_AMDGPU_GOTPCREL32_HI", 4, True),
    10: ("R_AMDGPU_REL32_LO", 4, True),
    11: ("R_AMDGPU_REL32_HI", 4, True),
    13: ("R_AMDGPU_RELATIVE64", 8, False),
    14: ("R_AMDGPU_REL16", 2, True),
}
"""Type number -> (name, bytes it fills, whether it is relative to its own address)."""
_RELATIVE64 = 13
_HIGH_HALVES = (2, 11)
_LOADABLE = (1, 2, 3, 4, 5, 6, 10, 11, 13)
"""Types that a linked code object may leave to the loader (lld leaves 3 and 13)."""

_MOST_SEGMENTS = 256
"""Program headers of a code object that are believed; compilers make about ten."""

MAX_SPAN = 1 << 36
"""Largest image, in bytes, that is believed; no device here has more memory."""

Resolver = Callable[[str], int | None]
"""Name of a symbol that the code object does not define -> its address, or None."""


class Relocation(NamedTuple):
    """A relocation to apply at load time.

    Attributes:
        address: what it patches (virtual address).
        kind: its name, e.g. R_AMDGPU_ABS64.
        code: its number.
        symbol: name of the symbol it refers to, empty for none.
        value: the symbol's virtual address, or None where the code object does not define it.
        addend: constant added.
        weak: whether an undefined symbol counts as 0.
    """

    address: int
    kind: str
    code: int
    symbol: str
    value: int | None
    addend: int
    weak: bool


class Image:
    """The loadable part of a code object.

    Attributes:
        segments: its PT_LOAD program headers.
        size: bytes from virtual address 0 to the end of the last segment.
    """

    def __init__(self, elf: Elf, symbols: list[RawSymbol]) -> None:
        self._elf = elf
        self.segments: list[Segment] = [each for each in elf.segments if each.kind == PT_LOAD]
        self.size = 0
        if len(elf.segments) > _MOST_SEGMENTS:
            raise elf.error(f"is corrupt: it has {len(elf.segments)} program headers")
        for each in self.segments:
            if each.memsz < each.filesz or each.vaddr + each.memsz > MAX_SPAN:
                raise elf.error(
                    f"is corrupt: its segment at {each.vaddr:#x} has {each.filesz:#x} bytes in the file, "
                    f"{each.memsz:#x} in memory"
                )
            elf.bytes_at(each.offset, each.filesz, "a loaded segment")
            self.size = max(self.size, each.vaddr + each.memsz)
        self.relocations = [
            self._relocation(rela.offset, rela.kind, rela.symbol, rela.addend, symbols)
            for rela in elf.dynamic_relocations()
        ]

    def _relocation(
        self, address: int, code: int, index: int, addend: int, symbols: list[RawSymbol]
    ) -> Relocation:
        error = self._elf.error
        if code not in _LOADABLE:
            name = RELOCATIONS.get(code, (f"type {code}",))[0]
            raise error(
                f"holds a relocation ({name} at {address:#x}) that no loader can apply",
                "link it with ld.lld -shared",
            )
        kind, size, _ = RELOCATIONS[code]
        if address + size > self.size:
            raise error(
                f"is corrupt: {kind} at address {address:#x} is outside its image ({self.size:#x} bytes)"
            )
        if code == _RELATIVE64 or not index:
            return Relocation(address, kind, code, "", 0, addend, False)
        if index >= len(symbols):
            raise error(f"is corrupt: {kind} at address {address:#x} names symbol {index} of {len(symbols)}")
        symbol = symbols[index]
        value = symbol.value if symbol.section else None
        return Relocation(address, kind, code, symbol.name, value, addend, symbol.binding == 2)

    def fill(self, target: bytearray | memoryview, base: int, resolve: Resolver | None = None) -> None:
        """Write the image, relocated for load address `base`, into `target` (zeroed, writable, `size` bytes).

        Raises:
            CodeObjectError: a symbol is undefined and `resolve` does not know it.
        """
        data = self._elf.data
        for each in self.segments:
            target[each.vaddr : each.vaddr + each.filesz] = data[each.offset : each.offset + each.filesz]
        for each_ in self.relocations:
            size = RELOCATIONS[each_.code][1]
            value = self._value(each_, base, resolve)
            target[each_.address : each_.address + size] = value.to_bytes(size, "little")

    def _value(self, item: Relocation, base: int, resolve: Resolver | None) -> int:
        if item.value is not None:
            symbol: int | None = base + item.value
        else:
            symbol = resolve(item.symbol) if resolve else None
            if symbol is None and not item.weak:
                raise self._elf.error(
                    f"needs the symbol {item.symbol!r}, which it does not define",
                    "define it, declare it weak, or link the object that defines it into the code object",
                )
        if item.code != _RELATIVE64 and not item.symbol:
            symbol = 0  # no symbol: the value is the addend alone
        total = (symbol or 0) + item.addend
        _, size, relative = RELOCATIONS[item.code]
        if relative:
            total -= base + item.address
        if item.code in _HIGH_HALVES:
            total = (total & (1 << 64) - 1) >> 32
        return total & ((1 << size * 8) - 1)

    def build(self, base: int, resolve: Resolver | None = None) -> bytearray:
        """The image in fresh memory, relocated for load address `base`; see :meth:`fill`."""
        try:
            memory = bytearray(self.size)
        except MemoryError:
            raise self._elf.error(
                f"needs {self.size:#x} bytes of memory, more than there are", "make its variables smaller"
            ) from None
        self.fill(memory, base, resolve)
        return memory
