"""What ``clang-offload-bundler`` does for the plans of clang's driver: several files in one, named by target.

Three forms, by the kind of file (facts: the Clang Offload Bundler page of LLVM's documentation): finished
code objects go into the binary bundle of :mod:`softrock.codeobj.bundle`; texts follow one another between
comment lines; and bitcode for later device linking becomes extra sections of the host's object file.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from pathlib import Path

from softrock.core.errors import CodeObjectError, ToolError

_MAGIC = "__CLANG_OFFLOAD_BUNDLE__"
_COMMENTS = {"i": "//", "ii": "//", "hipi": "//", "cui": "//", "d": "#", "s": "#", "ll": ";"}
"""Comment sign of each text type that clang's driver asks a bundle of."""

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SHT_PROGBITS = 1
_SHF_EXCLUDE = 0x80000000


def write_text(entries: Sequence[tuple[str, bytes]], kind: str) -> bytes:
    """A text bundle of (target name, text) pairs; `kind` is clang's ``-type=`` (``s``, ``ll``, ...)."""
    sign = _COMMENTS[kind]
    parts: list[bytes] = []
    for name, text in entries:
        parts.append(f"\n{sign} {_MAGIC}__START__ {name}\n".encode())
        parts.append(text)
        parts.append(f"\n{sign} {_MAGIC}__END__ {name}\n".encode())
    return b"".join(parts)


def add_sections(data: bytes, sections: Sequence[tuple[str, bytes]], name: str) -> bytes:
    """An ELF64 little-endian object file with more sections, which the linker drops from its output.

    Args:
        data: the object file.
        sections: name and content of each new section.
        name: of the file, for messages.

    Raises:
        CodeObjectError: `data` is not such a file.
    """
    if len(data) < _HEADER.size or data[:6] != b"\x7fELF\x02\x01":
        raise CodeObjectError(f"{name} is not a 64-bit little-endian object file")
    header = list(_HEADER.unpack_from(data))
    offset, size, count, names_at = header[6], header[11], header[12], header[13]
    if size != _SECTION.size or offset + count * size > len(data) or names_at >= count:
        raise CodeObjectError(f"{name}: its section table is corrupt")
    table = [list(_SECTION.unpack_from(data, offset + index * size)) for index in range(count)]
    names_offset, names_size = table[names_at][4], table[names_at][5]
    names = bytearray(data[names_offset : names_offset + names_size])
    out = bytearray(data)
    for label, content in sections:
        out += bytes(-len(out) % 16)
        table.append([len(names), _SHT_PROGBITS, _SHF_EXCLUDE, 0, len(out), len(content), 0, 0, 16, 0])
        names += label.encode() + b"\0"
        out += content
    table[names_at][4], table[names_at][5] = len(out), len(names)
    out += names
    out += bytes(-len(out) % 8)
    header[6], header[12] = len(out), len(table)
    out += b"".join(_SECTION.pack(*row) for row in table)
    out[: _HEADER.size] = _HEADER.pack(*header)
    return bytes(out)


def _bundle(entries: Sequence[tuple[str, bytes]], kind: str, align: int) -> bytes:
    if kind in _COMMENTS:
        return write_text(entries, kind)
    from softrock.codeobj import bundle

    hosts = [each for each in entries if each[0].startswith("host-") and each[1].startswith(b"\x7fELF")]
    if kind == "o" and hosts:
        devices = [(_MAGIC + name, data) for name, data in entries if not name.startswith("host-")]
        return add_sections(hosts[0][1], devices, hosts[0][0])
    return bundle.write(list(entries), align)


def run(args: Sequence[str]) -> None:
    """Do what ``clang-offload-bundler ARGS`` does when it bundles (not when it takes apart).

    Raises:
        ToolError: targets and inputs do not match, or a file cannot be read or written.
    """
    values: dict[str, str] = {}
    inputs: list[str] = []
    for arg in args:
        name, _, value = arg.lstrip("-").partition("=")
        if name in ("input", "inputs"):
            inputs += value.split(",") if name == "inputs" else [value]
        else:
            values["output" if name == "outputs" else name] = value
    targets = [each for each in values.get("targets", "").split(",") if each]
    if len(targets) != len(inputs) or "output" not in values:
        raise ToolError("offload bundler: give one -input= for each of -targets=, and -output=", status=2)
    try:
        contents = [Path(path).read_bytes() for path in inputs]
        align = int(values.get("bundle-align", "4096"))
        data = _bundle(list(zip(targets, contents, strict=True)), values.get("type", "o"), align)
        if values["output"] == "-":
            os.write(1, data)
        else:
            Path(values["output"]).write_bytes(data)
    except OSError as error:
        raise ToolError(f"offload bundler: {error.filename}: {error.strerror}") from None
