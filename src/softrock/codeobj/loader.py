"""Code objects: what `load` makes of the bytes of an AMD GPU ELF file."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from softrock.codeobj import metadata as notes
from softrock.codeobj.elf import (
    EM_AMDGPU,
    ET_DYN,
    ET_EXEC,
    ET_REL,
    PF_W,
    SHF_ALLOC,
    SHF_EXECINSTR,
    SHN_LORESERVE,
    SHN_UNDEF,
    SHT_SYMTAB,
    STB_LOCAL,
    STT_FUNC,
    STT_NOTYPE,
    STT_OBJECT,
    Elf,
    RawSymbol,
    Section,
)
from softrock.codeobj.image import Image, Relocation, Resolver
from softrock.codeobj.kernel import DESCRIPTOR_SIZE, Descriptor, Kernel
from softrock.codeobj.metadata import KernelMetadata, Metadata
from softrock.codeobj.targets import TargetId, from_flags
from softrock.core.errors import CodeObjectError

if TYPE_CHECKING:
    from softrock.codeobj.lines import Lines

_OSABI_HSA = 64
_R_REL64 = 5
_OLDEST = 3


class Symbol(NamedTuple):
    """A function or variable: virtual address and size in bytes."""

    name: str
    address: int
    size: int
    is_local: bool
    is_const: bool
    """For variables: whether it stands in memory that kernels may only read."""


class CodeObject:
    """A parsed code object. All addresses are its own virtual addresses: add the load address.

    Attributes:
        name: what to call it in messages.
        target_id: processor and features it was compiled for.
        version: code object version, 3 to 6.
        is_relocatable: a `.o` that is not linked yet; it can be inspected, not loaded.
        metadata: the compiler's notes, or None.
        kernels: by name.
        functions: device functions and kernels' code, by address.
        variables: global variables by name.
        undefined: names of symbols that something else must define.
    """

    def __init__(self, elf: Elf, with_args: bool = True) -> None:
        """`with_args`: read the kernels' arguments, which take most of the time, too."""
        self._elf = elf
        self.name = elf.name
        self.target_id, self.version = target_of(elf)
        self.is_relocatable = elf.kind == ET_REL
        if elf.kind not in (ET_REL, ET_EXEC, ET_DYN):
            raise elf.error(f"is an ELF file of type {elf.kind}, not a code object")
        dynamic = elf.dynamic_symbols()
        self._image = Image(elf, dynamic)
        self.metadata: Metadata | None = notes.read(elf, with_args)
        symbols = _merged(dynamic, elf.symbols(SHT_SYMTAB))
        self.undefined = tuple(s.name for s in symbols if s.section == SHN_UNDEF and s.name)
        self.functions = sorted(
            (self._symbol(s) for s in symbols if s.kind == STT_FUNC and s.section != SHN_UNDEF),
            key=lambda s: s.address,
        )
        self._starts = [each.address for each in self.functions]
        objects = {s.name: s for s in symbols if s.kind in (STT_OBJECT, STT_NOTYPE) and _is_placed(s)}
        self.variables = {
            name: self._symbol(s)
            for name, s in objects.items()
            if s.kind == STT_OBJECT and not (name.endswith(".kd") and s.size == DESCRIPTOR_SIZE)
        }
        self.kernels = self._kernels(objects)

    @cached_property
    def data(self) -> bytes:
        """The whole file."""
        return bytes(self._elf.data)

    @property
    def elf(self) -> Elf:
        """The file, parsed."""
        return self._elf

    @property
    def target(self) -> str:
        """The processor, e.g. gfx942."""
        return self.target_id.processor

    @property
    def features(self) -> dict[str, bool]:
        """Target features that are set: xnack, sramecc -> on or off."""
        return self.target_id.features

    @property
    def segments(self) -> list[tuple[int, int, bytes, int]]:
        """Loaded segments: (address, flags 1 X 2 W 4 R, bytes, size in memory)."""
        return [
            (s.vaddr, s.flags, self.data[s.offset : s.offset + s.filesz], s.memsz)
            for s in self._image.segments
        ]

    @property
    def size(self) -> int:
        """Bytes of memory the loaded image takes, from address 0 on."""
        return self._image.size

    @property
    def relocations(self) -> list[Relocation]:
        """What is patched at load time."""
        return self._image.relocations

    @cached_property
    def text(self) -> list[tuple[int, bytes]]:
        """Executable sections: (address, bytes). Without section headers, executable segments."""
        found = [
            (each.addr, self._elf.content(each))
            for each in self._elf.sections
            if each.flags & SHF_EXECINSTR and each.flags & SHF_ALLOC and each.size
        ]
        return found or [(address, code) for address, flags, code, _ in self.segments if flags & 1]

    def code(self, address: int, size: int) -> bytes:
        """Bytes of code or data at an address, as they stand in the file (before relocation)."""
        at = self._elf.file_offset(address, size, "the requested range")
        return self._elf.bytes_at(at, size, "the requested range")

    def image(self, base: int, resolve: Resolver | None = None) -> bytearray:
        """The image, relocated for load address `base`; `resolve` supplies symbols it does not define."""
        self._require_linked()
        return self._image.build(base, resolve)

    def fill(self, target: bytearray | memoryview, base: int, resolve: Resolver | None = None) -> None:
        """Like :meth:`image`, into zeroed writable memory of at least `size` bytes that the caller owns."""
        self._require_linked()
        self._image.fill(target, base, resolve)

    def kernel(self, name: str) -> Kernel:
        """A kernel by name.

        Raises:
            CodeObjectError: there is none of that name; the message lists the kernels that exist.
        """
        found = self.kernels.get(name)
        if found is None:
            listed = ", ".join(list(self.kernels)[:10]) or "none"
            raise CodeObjectError(
                f"{self.name} has no kernel {name!r}; it has: {listed}",
                hint='C++ kernels have mangled names; declare the kernel extern "C" to use its plain name',
            )
        return found

    def function_at(self, address: int) -> Symbol | None:
        """The function that holds a code address, or None."""
        at = bisect_right(self._starts, address) - 1
        if at < 0:
            return None
        found = self.functions[at]
        return found if address < found.address + max(found.size, 4) else None

    @cached_property
    def lines(self) -> Lines:
        """The line table (empty without -g), read at first use."""
        from softrock.codeobj.lines import Lines

        return Lines(self.data, self.name)

    def source_of(self, address: int) -> tuple[str, int, int] | None:
        """Source file, line and column of a code address, or None where the code object does not tell."""
        return self.lines.source_of(address)

    def _require_linked(self) -> None:
        if self.is_relocatable:
            raise self._elf.error(
                "is a relocatable object and cannot be loaded", "link it: ld.lld -shared FILE -o OUT"
            )

    def _symbol(self, raw: RawSymbol) -> Symbol:
        readonly = False
        if raw.kind == STT_OBJECT:
            readonly = not any(
                s.flags & PF_W and s.vaddr <= raw.value < s.vaddr + s.memsz for s in self._image.segments
            )
        return Symbol(raw.name, raw.value, raw.size, raw.binding == STB_LOCAL, readonly)

    def _kernels(self, objects: dict[str, RawSymbol]) -> dict[str, Kernel]:
        known = {
            each.symbol or f"{each.name}.kd": each
            for each in (self.metadata.kernels if self.metadata else ())
        }
        found: dict[str, Kernel] = {}
        for name, symbol in objects.items():
            if name in known or (name.endswith(".kd") and symbol.size == DESCRIPTOR_SIZE):
                kernel = self._kernel(name, symbol, known.get(name))
                found[kernel.name] = kernel
        for name in known:
            if name not in objects:
                raise self._elf.error(
                    f"is corrupt: its metadata describes kernel symbol {name!r}, which it does not define"
                )
        return found

    def _kernel(self, symbol_name: str, symbol: RawSymbol, noted: KernelMetadata | None) -> Kernel:
        plain = symbol_name.removesuffix(".kd")
        what = f"the descriptor of kernel {plain}"
        if self.is_relocatable:
            data, code = self._unlinked_descriptor(symbol, what), 0
            descriptor = Descriptor.decode(data, self.target_id)
        else:
            descriptor = Descriptor.decode(self.code_of(symbol.value, what), self.target_id)
            code = symbol.value + descriptor.entry_offset
            # an empty kernel, which clang makes of one that no target reaches, may stand at the very end
            if not any(s.flags & 1 and s.vaddr <= code <= s.vaddr + s.filesz for s in self._image.segments):
                raise self._elf.error(f"is corrupt: kernel {plain} begins at {code:#x}, which is no code")
        body = self.function_at(code)
        size = body.size if body and body.address == code else 0
        name = (noted.name if noted else "") or plain
        return Kernel(name, self.target_id, symbol.value, code, size, descriptor, noted, self.name)

    def code_of(self, address: int, what: str) -> bytes:
        """The 64 bytes of a kernel descriptor; `what` names it in an error."""
        return self._elf.bytes_at(
            self._elf.file_offset(address, DESCRIPTOR_SIZE, what), DESCRIPTOR_SIZE, what
        )

    def _unlinked_descriptor(self, symbol: RawSymbol, what: str) -> bytes:
        if symbol.section >= len(self._elf.sections):
            raise self._elf.error(
                f"is corrupt: {what} is in section {symbol.section}, which it does not have"
            )
        section: Section = self._elf.sections[symbol.section]
        content = self._elf.content(section)[symbol.value : symbol.value + DESCRIPTOR_SIZE]
        if len(content) != DESCRIPTOR_SIZE:
            raise self._elf.error(f"is corrupt: {what} runs past section {section.name}")
        return content


def _is_placed(symbol: RawSymbol) -> bool:
    return symbol.section != SHN_UNDEF and symbol.section < SHN_LORESERVE


def _merged(dynamic: list[RawSymbol], static: list[RawSymbol]) -> list[RawSymbol]:
    seen = {(each.name, each.value) for each in dynamic}
    return [*dynamic, *(each for each in static if (each.name, each.value) not in seen)]


def target_of(elf: Elf) -> tuple[TargetId, int]:
    """What a code object was compiled for, and its version (3 to 6).

    Raises:
        CodeObjectError: it is no code object of HSA, or one of a version or processor that is not known.
    """
    if elf.machine != EM_AMDGPU:
        raise elf.error(
            f"is no AMD GPU code object (its ELF machine is {elf.machine}, AMD GPU is {EM_AMDGPU})",
            "give a .hsaco/.co file, or a program or bundle that holds GPU code",
        )
    if elf.os_abi != _OSABI_HSA:
        raise elf.error(
            f"is AMD GPU code for another driver (OS ABI {elf.os_abi}, HSA is {_OSABI_HSA})",
            "compile for amdgcn-amd-amdhsa",
        )
    version = elf.abi_version + 2
    if version < _OLDEST or version > 6:
        raise elf.error(
            f"is a code object of version {version}; versions 3 to 6 are known",
            "compile with -mcode-object-version=5",
        )
    target = from_flags(elf.flags, elf.abi_version)
    if target is None:
        raise elf.error(
            f"is for an AMD GPU that is not known here (e_flags {elf.flags:#x})",
            "compile for a target that `softrock targets` lists",
        )
    return target, version


def load(data: bytes, name: str) -> CodeObject:
    """Parse a code object.

    Args:
        data: the whole ELF file (not a bundle; see :mod:`softrock.codeobj.bundle`).
        name: what to call it in messages, usually its path.

    Raises:
        CodeObjectError: it is no AMD GPU code object, or is corrupt.
    """
    return CodeObject(Elf(bytes(data), name))
