"""The code objects in what :mod:`softrock.inspect.walk` finds, one at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from softrock.codeobj import CodeObject, TargetId, bundle, kpack
from softrock.codeobj.elf import EM_AMDGPU, ET_REL, Elf
from softrock.codeobj.survey import Counts, survey
from softrock.codeobj.targets import parse
from softrock.core.errors import CodeObjectError, UsageError
from softrock.inspect.limits import clean
from softrock.inspect.walk import Leaf, Problem

_PT_INTERP = 3
_ELFCLASS64, _ELFDATA2LSB = 2, 1
_NT_GNU_BUILD_ID = 3
_PRODUCER = re.compile(rb"[ -~]{0,60}(?:clang|LLVM|GCC|GNU C)[ -~]{0,200}")
_MOST_TEXT = 1 << 20
COUNTS, KERNELS, ARGUMENTS = 0, 1, 2
Depth = Callable[[Counts], int]
"""What to read of a code object: COUNTS, KERNELS (described) or ARGUMENTS (theirs too)."""
_SPIRV = "amdgcnspirv"


class File(NamedTuple):
    """A library, program, bundle or archive of code objects.

    Attributes:
        name: path, and what it stands in.
        kind: in words.
        size: bytes.
        build_id: hexadecimal, empty where it has none.
        compilers: what its comments and debug information name, each once.
        reference: where its GPU code is kept, if that is elsewhere (kpack).
    """

    name: str
    kind: str
    size: int
    build_id: str = ""
    compilers: tuple[str, ...] = ()
    reference: kpack.Reference | None = None


class Found(NamedTuple):
    """A code object.

    Attributes:
        file: name of the :class:`File` it stands in.
        where: that, with section and offset.
        bundle: what identifies its bundle, of which a device takes one code object; empty if it stands alone.
        id: entry ID, or the target alone.
        target: target ID in words, also for what softrock does not know.
        target_id: the same parsed, None for what is unknown or no AMD GPU processor.
        compression: zlib, zstd or empty.
        size: bytes.
        bitcode: whether it is not linked yet.
        code: the parsed code object; None for bitcode, SPIR-V, what cannot be read, and where only counts are wanted.
        counts: counts of kernels; None for bitcode, SPIR-V and what cannot be read.
        error: why it cannot be read, or empty.
        build_id, compilers: as in :class:`File`.
    """

    file: str
    where: str
    bundle: str
    id: str
    target: str
    target_id: TargetId | None
    compression: str
    size: int
    bitcode: bool = False
    code: CodeObject | None = None
    counts: Counts | None = None
    error: str = ""
    build_id: str = ""
    compilers: tuple[str, ...] = ()


Event = File | Found | Problem


def scan(leaf: Leaf, depth: Depth) -> Iterator[Event]:
    """What a leaf is, then its code objects and problems.

    Args:
        depth: says for each code object, when it is its turn, what to read of it.
    """
    try:
        if leaf.kind == "kpack":
            yield from _kpack(leaf, depth)
        elif leaf.kind == "elf":
            yield from _elf(leaf, depth)
        else:
            kind = "compressed offload bundle" if leaf.kind == "compressed" else "offload bundle"
            yield File(leaf.name, kind, len(leaf.data))
            yield from _bundles(leaf, depth)
    except CodeObjectError as error:
        yield Problem(clean(error.message, 1000))


def _elf(leaf: Leaf, depth: Depth) -> Iterator[Event]:
    if len(leaf.data) > 5 and tuple(leaf.data[4:6]) != (_ELFCLASS64, _ELFDATA2LSB):
        return  # for another kind of host: HIP has none such
    elf = Elf(leaf.data, leaf.name)
    try:
        reference = kpack.reference(elf)
    except CodeObjectError as error:
        reference = None
        yield Problem(clean(error.message, 1000))
    identity, compilers = _facts(elf)
    yield File(leaf.name, _kind(elf), len(leaf.data), identity, compilers, reference)
    yield from _bundles(leaf, depth)


def _kind(elf: Elf) -> str:
    if elf.machine == EM_AMDGPU:
        return "relocatable GPU object" if elf.kind == ET_REL else "GPU code object"
    if elf.kind == ET_REL:
        return "object file"
    return "program" if any(each.kind == _PT_INTERP for each in elf.segments) else "shared library"


def _facts(elf: Elf) -> tuple[str, tuple[str, ...]]:
    """Build ID and compilers; a file whose notes or comments are corrupt has none."""
    try:
        ids = [each.desc for each in elf.notes() if each.kind == _NT_GNU_BUILD_ID and each.owner == b"GNU"]
        texts: dict[str, None] = {}
        for section in elf.sections:
            if section.name == ".comment":
                for each in bytes(elf.view(section)[:_MOST_TEXT]).split(b"\0"):
                    if each:
                        texts[clean(each.decode("utf-8", "replace"), 200)] = None
            elif section.name == ".debug_str":
                found = _PRODUCER.search(bytes(elf.view(section)[:_MOST_TEXT]))
                if found:
                    texts[clean(found.group().decode("ascii"), 200)] = None
    except CodeObjectError:
        return "", ()
    return (ids[0][:64].hex() if ids else ""), tuple(list(texts)[:16])


def _bundles(leaf: Leaf, depth: Depth) -> Iterator[Event]:
    alone = leaf.kind == "elf"
    for number, each in enumerate(bundle.iterate(leaf.data, leaf.name, leaf.budget.unpack)):
        lone = alone and len(each.entries) == 1 and each.entries[0].size == len(leaf.data)
        key = "" if lone else f"{leaf.name}#{number}"
        for entry in each.entries:
            target, known = _target(entry)
            if not target or not entry.size:
                continue
            leaf.budget.look(entry.size, each.where)
            where = f"{each.where} ({target})" if entry.offset else each.where
            found = Found(
                leaf.name, each.where, key, clean(entry.id), target, known, each.compression, entry.size
            )
            yield _read(found, entry.view, entry.is_bitcode, where, depth)


def _target(entry: bundle.Entry) -> tuple[str, TargetId | None]:
    """An entry's target in words and parsed; an empty text for what is not for an AMD GPU."""
    if entry.target is not None:
        return str(entry.target), entry.target
    kind, _, rest = entry.id.partition("-")
    if kind not in ("hip", "hipv4", "openmp") or not rest:
        return "", None
    if _SPIRV in rest:
        return _SPIRV, None
    at = rest.find("-gfx")
    if not rest.startswith("amdgcn") or at < 0:
        return "", None
    text = rest[at + 1 :]
    try:
        return text, parse(text)  # an OpenMP entry
    except UsageError:
        return clean(text, 80), None


def _read(found: Found, data: memoryview, bitcode: bool, where: str, depth: Depth) -> Found:
    if bitcode or found.target == _SPIRV:
        return found._replace(bitcode=bitcode)
    try:
        elf = Elf(data, where)
        counts = survey(elf)
        wanted = depth(counts)
        code = CodeObject(elf, wanted == ARGUMENTS) if wanted >= KERNELS else None
        identity, compilers = _facts(elf)
    except CodeObjectError as error:
        return found._replace(error=clean(error.message, 1000))
    except (MemoryError, RecursionError) as error:
        return found._replace(error=clean(f"{where} takes more than there is to read ({type(error).__name__})"))
    target = counts.target_id
    return found._replace(
        target=str(target), target_id=target, code=code, counts=counts, build_id=identity, compilers=compilers
    )


def _kpack(leaf: Leaf, depth: Depth) -> Iterator[Event]:
    archive = kpack.Kpack(leaf.data, leaf.name)
    group = f" of {clean(archive.group, 80)}" if archive.group else ""
    yield File(leaf.name, f"kpack archive{group}", len(leaf.data))
    for entry in archive.entries:
        if leaf.only and entry.binary.partition("#")[0] != leaf.only:
            continue
        where = f"{leaf.name} ({clean(entry.binary)})"
        try:
            target_id = parse(entry.target)
        except UsageError:
            target_id = None
        target = clean(entry.target, 80)
        found = Found(leaf.name, where, f"kpack:{entry.binary}", target, target, target_id, archive.compression, 0)
        try:
            size = archive.size_of(entry)
            found = found._replace(size=size)
            if archive.compression:
                leaf.budget.unpack(size, where)
            leaf.budget.look(size, where)
            data = archive.read(entry)
        except CodeObjectError as error:
            yield found._replace(error=clean(error.message, 1000))
            continue
        if bytes(data[:4]) in (bundle.BUNDLE_MAGIC[:4], b"CCOB"):
            inner = Leaf(where, "bundle", data, leaf.budget)
            yield from _bundles(inner, depth)
        else:
            yield _read(found, data, False, where, depth)
