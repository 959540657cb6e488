"""Offload bundles: finding the code objects inside bundles, host programs, libraries, objects and archives.

A bundle holds one code object for each target, each under an entry ID such as
``hipv4-amdgcn-amd-amdhsa--gfx942:xnack-``. It may be compressed as a whole, and a linked program holds
the bundles of its source files one after the other in its section ``.hip_fatbin``.

Source of the formats: "Clang Offload Bundler" (clang.llvm.org/docs/ClangOffloadBundler.html); the archive
format is System V ``ar``.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

from softrock.codeobj.compressed import COMPRESSED_MAGIC, compressed_size, decompress
from softrock.codeobj.elf import EM_AMDGPU, MAGIC, Elf
from softrock.codeobj.targets import GENERIC, TargetId, from_flags, parse, preference, runs_on
from softrock.core.errors import CodeObjectError, UsageError

BUNDLE_MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
ARCHIVE_MAGIC = b"!<arch>\n"
_THIN_MAGIC = b"!<thin>\n"
_BITCODE_MAGICS = (b"BC\xc0\xde", b"\xde\xc0\x17\x0b")
_FATBIN_SECTIONS = (".hip_fatbin", "__hip_fatbin")
_KINDS = ("hip", "hipv4")
_COUNT = struct.Struct("<Q")
_ENTRY = struct.Struct("<QQQ")
_MAX_ENTRIES = 4096

Buffer = TypeVar("Buffer", bytes, memoryview)
Admit = Callable[[int, str], None]
"""``admit(size, name)`` raises where something of that size is not to be unpacked."""

Peek = Callable[[int, int], bytes]
"""``peek(offset, size)`` reads memory of unknown extent from some starting point."""


class Entry(NamedTuple):
    """One code object in a bundle.

    Attributes:
        id: the entry ID.
        kind: host, hip, hipv4, openmp …
        target: what it is for; None for the host and for what is no AMD GPU target.
        source: the memory it stands in.
        offset, size: where in `source`, bytes.
    """

    id: str
    kind: str
    target: TargetId | None
    source: bytes | memoryview
    offset: int
    size: int

    @property
    def data(self) -> bytes:
        """Its bytes: an ELF code object, or LLVM bitcode in objects compiled for later device linking."""
        return bytes(self.source[self.offset : self.offset + self.size])

    @property
    def view(self) -> memoryview:
        """Its bytes where they stand, not copied."""
        return memoryview(self.source)[self.offset : self.offset + self.size]

    @property
    def is_bitcode(self) -> bool:
        """Whether it is LLVM bitcode that is not linked yet."""
        return self.source[self.offset : self.offset + 4] in _BITCODE_MAGICS


class Bundle(NamedTuple):
    """A bundle and where it was found; `compression` is empty, zlib or zstd."""

    where: str
    compression: str
    entries: tuple[Entry, ...]

    @property
    def gpu(self) -> tuple[Entry, ...]:
        """The entries for AMD GPUs that hold something."""
        return tuple(each for each in self.entries if each.target is not None and each.size)


def is_bundle(data: bytes | memoryview) -> bool:
    """Whether the bytes begin a plain or compressed bundle."""
    return data[: len(BUNDLE_MAGIC)] == BUNDLE_MAGIC or data[:4] == COMPRESSED_MAGIC


def find_bundles(data: bytes, name: str) -> list[Bundle]:
    """All bundles in a file: a bundle (or several, one after the other), a host ELF program, library or
    object, an archive of those, or a bare code object (which counts as a bundle of one).

    Returns:
        The bundles in file order; empty for a host ELF file or archive without GPU code.

    Raises:
        CodeObjectError: the file is none of these, or is corrupt.
    """
    if data[:8] == ARCHIVE_MAGIC:
        found: list[Bundle] = []
        for member, content in members(data, name):
            if is_bundle(content) or content[:4] == MAGIC:
                found += find_bundles(content, f"{name}({member})")
        return found
    return list(iterate(data, name))


def iterate(data: bytes | memoryview, name: str, admit: Admit | None = None) -> Iterator[Bundle]:
    """Like :func:`find_bundles`, but one at a time, so that only one needs to be unpacked at once, and for
    anything but archives.

    Args:
        admit: called with the size that a compressed bundle claims to unpack to and its name; may refuse by raising.

    Raises:
        CodeObjectError: the file is of no kind that is known here, or corrupt from there on.
    """
    if is_bundle(data):
        yield from _concatenated(data, name, admit)
    elif data[:4] == MAGIC:
        yield from _in_elf(data, name, admit)
    elif data[:8] == _THIN_MAGIC:
        raise CodeObjectError(
            f"{name} is a thin archive, which only names its members",
            hint="inspect the object files themselves",
        )
    else:
        raise CodeObjectError(
            f"{name} holds no GPU code that is known here: it is no ELF file, offload bundle or archive",
            hint="give a program, shared library, .o, .a, .hsaco, .co or .hipfb file built by hipcc",
        )


def select(data: bytes, target: TargetId | str, name: str) -> bytes:
    """The code object of a bundle (or of any file :func:`find_bundles` reads) that suits a device best.

    An entry for just this processor comes before one for a generic target, and of several that the device
    may run the one with most features set wins.

    Args:
        data: the file.
        target: the device's target ID with its actual settings, e.g. ``gfx942:sramecc+:xnack-``; a
        feature that is
            not given matches both settings.
        name: what to call the file in messages.

    Raises:
        CodeObjectError: no entry suits; the message names the targets that are there.
    """
    return select_entry(find_bundles(data, name), target, name).data


def select_entry(bundles: list[Bundle], target: TargetId | str, name: str) -> Entry:
    """Like :func:`select`, among bundles already read. Bitcode never suits."""
    device = parse(target) if isinstance(target, str) else target
    there = [each for bundle in bundles for each in bundle.gpu]
    fitting = [e for e in there if e.target is not None and runs_on(e.target, device) and not e.is_bitcode]
    if fitting:
        return max(fitting, key=lambda each: preference(each.target) if each.target else -1)
    if not there:
        raise CodeObjectError(
            f"{name} holds no GPU code", hint=f"compile it with hipcc --offload-arch={device.processor}"
        )
    listed = ", ".join(dict.fromkeys(str(each.target) for each in there))
    if all(each.is_bitcode for each in there):
        raise CodeObjectError(
            f"{name} holds GPU code that is not linked yet (bitcode for {listed})",
            hint="link it with hipcc -fgpu-rdc --hip-link",
        )
    near = [e.target for e in there if e.target and e.target.processor in _names(device.processor)]
    reason = f" ({near[0]} does not fit its settings)" if near else ""
    raise CodeObjectError(
        f"{name} holds no code for {device}{reason}; it holds code for: {listed}",
        hint=f"rebuild it with --offload-arch={device.processor}, or run it on one of those with --gpu",
    )


def _names(processor: str) -> tuple[str, ...]:
    return (processor, *(name for name, members in GENERIC.items() if processor in members))


def measure(peek: Peek, name: str) -> int:
    """Size in bytes of the bundle or code object that begins at ``peek(0, …)``, whose extent nobody tells.

    A host program registers its bundles by address alone; this reads only headers to find where one ends.

    Raises:
        CodeObjectError: it is neither, or its size cannot be told (compressed bundles of version 1).
    """

    def take(offset: int, size: int) -> bytes:
        found = peek(offset, size)
        if len(found) != size:
            raise CodeObjectError(
                f"{name} is truncated: {size:#x} bytes at {offset:#x} are not there",
                hint="rebuild the program",
            )
        return found

    head = take(0, 4)
    if head == COMPRESSED_MAGIC:
        size = compressed_size(take(0, 32))
        if size is None:
            raise CodeObjectError(
                f"{name} is a compressed bundle of version 1, which does not tell its size",
                hint="rebuild it with a newer compiler, or with --no-offload-compress",
            )
        return size
    if head == MAGIC:
        return _elf_extent(take)
    if take(0, len(BUNDLE_MAGIC)) == BUNDLE_MAGIC:
        _, end = _directory(take, None, name)
        return end
    raise CodeObjectError(f"{name} is no offload bundle or code object", hint="rebuild the program")


def write(entries: list[tuple[str, bytes]], alignment: int = 4096) -> bytes:
    """A plain bundle of (entry ID, bytes) pairs, each code object aligned as the HIP runtime wants it."""
    head = len(BUNDLE_MAGIC) + _COUNT.size + sum(_ENTRY.size + len(each[0].encode()) for each in entries)
    out = bytearray(BUNDLE_MAGIC + _COUNT.pack(len(entries)))
    body = bytearray()
    start = -(-head // alignment) * alignment
    for text, content in entries:
        body += bytes(-len(body) % alignment)
        out += _ENTRY.pack(start + len(body), len(content), len(text.encode())) + text.encode()
        body += content
    return bytes(out) + bytes(start - head) + bytes(body)


def entry_id(target: TargetId | str) -> str:
    """The entry ID for a target."""
    return f"hipv4-amdgcn-amd-amdhsa--{target}"


def _target_of(text: str) -> TargetId | None:
    kind, _, rest = text.partition("-")
    at = rest.find("-gfx")
    if kind not in _KINDS or not rest.startswith("amdgcn-") or at < 0:
        return None
    try:
        return parse(rest[at + 1 :])
    except UsageError:
        return None


def _directory(peek: Peek, limit: int | None, name: str) -> tuple[list[tuple[str, int, int]], int]:
    """Rows (entry ID, offset, size) of a plain bundle, and its end; `limit`: size of the file, if known."""

    def take(offset: int, size: int) -> bytes:
        if limit is not None and offset + size > limit:
            raise CodeObjectError(
                f"{name} is a truncated offload bundle: it ends at {limit:#x}, {offset + size:#x} is needed",
                hint="fetch or build it again",
            )
        return peek(offset, size)

    at = len(BUNDLE_MAGIC)
    (count,) = _COUNT.unpack(take(at, _COUNT.size))
    if count > _MAX_ENTRIES:
        raise CodeObjectError(
            f"{name} is a corrupt offload bundle: it claims {count} entries", hint="build it again"
        )
    at += _COUNT.size
    rows: list[tuple[str, int, int]] = []
    end = at
    for _ in range(count):
        offset, size, length = _ENTRY.unpack(take(at, _ENTRY.size))
        if length > 4096:
            raise CodeObjectError(
                f"{name} is a corrupt offload bundle: an entry ID of {length} bytes", hint="build it again"
            )
        text = take(at + _ENTRY.size, length).decode("utf-8", "replace")
        at += _ENTRY.size + length
        if size and limit is not None:
            take(offset, size)
        rows.append((text, offset, size))
        end = max(end, at, offset + size if size else 0)
    return rows, end


def _concatenated(data: bytes | memoryview, name: str, admit: Admit | None) -> Iterator[Bundle]:
    """The bundles that stand one after the other, with zeros between them."""
    at = 0
    while (at := _next_nonzero(data, at)) < len(data):
        where = f"{name}+{at:#x}" if at else name
        if data[at : at + 4] == COMPRESSED_MAGIC:
            plain, used, method = decompress(memoryview(data)[at:], where, admit)
            yield Bundle(where, method, _entries(plain, 0, where)[0])
        else:
            entries, used = _entries(data, at, where)
            yield Bundle(where, "", entries)
        at += used


def _next_nonzero(data: bytes | memoryview, at: int) -> int:
    step = 4096
    while at < len(data):
        block = bytes(data[at : at + step])
        rest = block.lstrip(b"\0")
        if rest:
            return at + len(block) - len(rest)
        at += step
    return len(data)


def _entries(data: bytes | memoryview, start: int, name: str) -> tuple[tuple[Entry, ...], int]:
    """The entries of the plain bundle at `start`, and the bytes it takes."""
    if data[start : start + len(BUNDLE_MAGIC)] != BUNDLE_MAGIC:
        raise CodeObjectError(f"{name} is corrupt: no offload bundle stands there", hint="build it again")
    rows, end = _directory(lambda at, size: bytes(data[start + at : start + at + size]), len(data) - start, name)
    found = (
        Entry(text, text.split("-")[0], _target_of(text), data, start + offset, size)
        for text, offset, size in rows
    )
    return tuple(found), end


def _in_elf(data: bytes | memoryview, name: str, admit: Admit | None) -> Iterator[Bundle]:
    elf = Elf(data, name)
    if elf.machine == EM_AMDGPU:
        target = from_flags(elf.flags, elf.abi_version)
        yield Bundle(name, "", (Entry(entry_id(target or "?"), "hipv4", target, data, 0, len(data)),))
        return
    for section in elf.sections:
        if section.name in _FATBIN_SECTIONS:
            yield from _concatenated(elf.view(section), f"{name} {section.name}", admit)
        elif section.name.startswith(BUNDLE_MAGIC.decode()):
            text = section.name[len(BUNDLE_MAGIC) :]
            source = elf.view(section)
            entry = Entry(text, text.split("-")[0], _target_of(text), source, 0, len(source))
            yield Bundle(f"{name} {section.name}", "", (entry,))


def members(data: Buffer, name: str) -> Iterator[tuple[str, Buffer]]:
    """Names and contents of an archive's members."""
    at = len(ARCHIVE_MAGIC)
    long_names = b""
    while at < len(data):
        head = bytes(data[at : at + 60])
        if len(head) < 60 or head[58:60] != b"`\n" or not head[48:58].strip().isdigit():
            raise CodeObjectError(f"{name} is a corrupt archive: no member at {at:#x}", hint="build it again")
        size = int(head[48:58])
        content = data[at + 60 : at + 60 + size]
        if len(content) != size:
            raise CodeObjectError(
                f"{name} is a truncated archive: the member at {at:#x} has {size} bytes",
                hint="build it again",
            )
        label = head[:16].rstrip().decode("utf-8", "replace")
        number = label[1:] if label[1:].isascii() and label[1:].isdigit() else ""
        if label == "//":
            long_names = bytes(content)
        elif label[:3] == "#1/" and label[3:].isascii() and label[3:].isdigit():  # BSD: the name precedes the content
            length = int(label[3:])
            yield bytes(content[: min(length, 4096)]).rstrip(b"\0").decode("utf-8", "replace"), content[length:]
        elif label not in ("/", "/SYM64/"):
            if label[:1] == "/" and number:
                start = int(number)
                label = long_names[start : start + 4096].split(b"\n")[0].decode("utf-8", "replace")
            yield label.removesuffix("/"), content
        at += 60 + size + size % 2


def _elf_extent(peek: Peek) -> int:
    """Where an ELF file in memory ends: the last byte any of its headers speaks of."""
    head = peek(0, 64)
    segments, sections = struct.unpack_from("<QQ", head, 32)
    segment_count, _, section_count = struct.unpack_from("<HHH", head, 56)
    end = max(64, segments + segment_count * 56, sections + section_count * 64)
    for i in range(segment_count):
        offset, _, _, size = struct.unpack_from("<QQQQ", peek(segments + i * 56, 56), 8)
        end = max(end, offset + size)
    for i in range(section_count):
        row = peek(sections + i * 64, 64)
        kind = struct.unpack_from("<I", row, 4)[0]
        offset, size = struct.unpack_from("<QQ", row, 24)
        if kind not in (0, 8):
            end = max(end, offset + size)
    return int(end)
