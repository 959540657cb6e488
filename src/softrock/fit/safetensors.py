"""Headers of .safetensors files: every tensor's type, shape and bytes, without reading a weight.

Source of the format: huggingface/safetensors, README.md ("Format"), 2025.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, NoReturn, TypeGuard

from softrock.core.errors import SoftrockError
from softrock.fit import jsonfile
from softrock.fit.model import Stored
from softrock.fit.text import clean

_MOST_HEADER = 32 << 20
_MOST_FILES = 4096
_MOST_SIZES = 16
_BITS = {
    "BOOL": 8, "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6, "U8": 8, "I8": 8, "F8_E5M2": 8, "F8_E4M3": 8, "F8_E8M0": 8,
    "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8, "I16": 16, "U16": 16, "F16": 16, "BF16": 16, "I32": 32, "U32": 32, "F32": 32,
    "C64": 64, "F64": 64, "I64": 64, "U64": 64,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor in a file; its shape is given by its rows, as files have it."""

    name: str
    type: str
    shape: tuple[int, ...]
    bytes: int

    @property
    def elements(self) -> int:
        """How many numbers it has, as its type counts them."""
        product = 1
        for size in self.shape:
            product *= size
        return product


def _fail(where: str, what: str) -> NoReturn:
    raise SoftrockError(f"{where}: {what}", hint="the file is damaged or not complete; fetch it again")


def header(path: Path) -> list[Tensor]:
    """The tensors of one file.

    Raises:
        SoftrockError: it is no .safetensors file, is cut off, or its header contradicts itself.
    """
    where = clean(path, 300)
    handle, size = jsonfile.open_regular(path)
    with os.fdopen(handle, "rb") as file:
        start = file.read(8)
        if len(start) < 8:
            _fail(where, f"it has {size} bytes, too few for a .safetensors file")
        (length,) = struct.unpack("<Q", start)
        if length > _MOST_HEADER:
            _fail(where, f"its header would have {length:,} bytes, so it is no .safetensors file")
        if length > size - 8:
            _fail(where, f"its header has {length:,} bytes, but only {size - 8:,} are there")
        raw = file.read(length)
    found = jsonfile.parse(raw, f"{where} (header)")
    tensors = [_tensor(where, name, entry) for name, entry in found.items() if name != "__metadata__"]
    _covered(where, [each for _, each in tensors], size - 8 - length)
    return [tensor for tensor, _ in tensors]


def _tensor(where: str, name: str, entry: Any) -> tuple[Tensor, tuple[int, int]]:
    called = f"tensor {clean(name)!r}"
    if not isinstance(entry, dict):
        _fail(where, f"{called} has no description")
    kind, shape, span = entry.get("dtype"), entry.get("shape"), entry.get("data_offsets")
    if not isinstance(kind, str) or kind not in _BITS:
        _fail(where, f"{called} is of type {clean(kind)}, which .safetensors files do not have")
    if not _sizes(shape) or len(shape) > _MOST_SIZES:
        _fail(where, f"{called} has the shape {clean(shape)}")
    if not _sizes(span) or len(span) != 2 or span[0] > span[1]:
        _fail(where, f"{called} lies at {clean(span)}")
    tensor = Tensor(name, kind, tuple(shape), span[1] - span[0])
    if tensor.elements * _BITS[kind] != tensor.bytes * 8:
        _fail(where, f"{called} of {clean(shape)} {kind} cannot have {tensor.bytes:,} bytes")
    return tensor, (span[0], span[1])


def _sizes(value: Any) -> TypeGuard[list[int]]:
    return isinstance(value, list) and all(type(each) is int and 0 <= each < 1 << 62 for each in value)


def _covered(where: str, spans: Iterable[tuple[int, int]], size: int) -> None:
    """Tensors must follow each other without holes, to the file's end."""
    end = 0
    for start, stop in sorted(spans):
        if start != end:
            _fail(where, f"a tensor begins at {start:,} where {end:,} was expected")
        end = stop
    if end != size:
        _fail(where, f"its tensors have {end:,} bytes, but {size:,} follow the header")


def index(path: Path) -> tuple[list[Path], Stored | None]:
    """The files that a ``model.safetensors.index.json`` names; where none of them is there, the sum that it gives.

    Raises:
        SoftrockError: it is none, names a file elsewhere, or some of the files are not there.
    """
    where = clean(path, 300)
    document = jsonfile.read(path)
    named = document.get("weight_map")
    if not isinstance(named, dict) or not all(isinstance(each, str) for each in named.values()):
        raise SoftrockError(f"{where}: weight_map is missing or no table of files", hint="give a .safetensors index")
    files = sorted(set(named.values()))
    if len(files) > _MOST_FILES:
        _fail(where, f"it names {len(files):,} files")
    for each in files:
        if PurePosixPath(each).name != each or "\\" in each or each in ("", ".", ".."):
            _fail(where, f"it names {clean(each)!r}, which is not beside it")
    missing = [each for each in files if not (path.parent / each).exists()]
    about = document.get("metadata")
    total = about.get("total_size") if isinstance(about, dict) else None
    if isinstance(total, float) and total.is_integer():
        total = int(total)
    if missing and len(missing) == len(files) and type(total) is int and 0 < total < 1 << 60:
        return [], Stored(total, len(named), {}, "by its index", len(files))
    if missing:
        raise SoftrockError(
            f"{where}: {len(missing)} of its {len(files)} files are not there, the first {clean(missing[0])}",
            hint="fetch them, or give the config.json, which needs no weights",
        )
    return [path.parent / each for each in files], None


def stored(files: Sequence[Path]) -> tuple[list[Tensor], Stored]:
    """All tensors of a model's files, and their sums.

    Raises:
        SoftrockError: a file is broken, or two hold a tensor of one name.
    """
    tensors: dict[str, Tensor] = {}
    for path in files:
        for tensor in header(path):
            if tensor.name in tensors:
                _fail(clean(path, 300), f"tensor {clean(tensor.name)!r} is in another file as well")
            tensors[tensor.name] = tensor
    found = list(tensors.values())
    return found, sums(found, len(files))


def sums(tensors: Sequence[Tensor], files: int, label: str = "") -> Stored:
    """Bytes in all and by type."""
    by_type: dict[str, tuple[int, int, int]] = {}
    for each in tensors:
        number, elements, size = by_type.get(each.type, (0, 0, 0))
        by_type[each.type] = (number + 1, elements + each.elements, size + each.bytes)
    ordered = dict(sorted(by_type.items(), key=lambda item: -item[1][2]))
    most = next(iter(ordered), "no tensors")
    return Stored(sum(each.bytes for each in tensors), len(tensors), ordered, label or most, files)
