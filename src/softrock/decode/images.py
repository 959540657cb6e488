"""Operands of image instructions: how many data and address registers an encoding takes.

Sources: AMD's RDNA3 and RDNA4 ISA guides, chapters on image instructions.
"""

from __future__ import annotations

from typing import NamedTuple

from softrock.decode.fields import flag
from softrock.isa import Layout, OperandSpec, Row, Target


class Dimension(NamedTuple):
    """A value of the dim field: its name, coordinates and gradient components."""

    name: str
    coordinates: int
    gradients: int


DIMENSIONS = (
    Dimension("1D", 1, 2),
    Dimension("2D", 2, 4),
    Dimension("3D", 3, 6),
    Dimension("CUBE", 3, 4),
    Dimension("1D_ARRAY", 2, 2),
    Dimension("2D_ARRAY", 3, 4),
    Dimension("2D_MSAA", 3, 4),
    Dimension("2D_MSAA_ARRAY", 4, 4),
)
SINGLE_ADDRESSES = {11: 5, 12: 4}
"""Registers of a non-sequential address; the last stands for all that follow."""


def image_operands(row: Row, layout: Layout, target: Target, word: int) -> list[OperandSpec]:
    """The operands of an image instruction in the form that the word picks."""
    is_ray = "bvh" in row.op
    words = bvh_address(row.op, layout, word) if is_ray else [1] * address_registers(row.op, layout, word)
    found: list[OperandSpec] = []
    for spec in row.operands:
        if spec.role == "vaddr":
            found += _addresses(spec, words, layout, target, word)
        elif spec.role == "vdata" and not is_ray:
            found += _data(spec, row.op, layout, word)
        else:
            found.append(spec)
    return found


def _data(spec: OperandSpec, op: str, layout: Layout, word: int) -> list[OperandSpec]:
    """vdata; for an atomic that returns a value the destination, then the source."""
    spec = spec._replace(dwords=data_registers(op, layout, word))
    if "_atomic_" in op and (flag(layout, "c0", word) or flag(layout, "th", word) & 1):
        size = spec.dwords // 2 if "cmpswap" in op else spec.dwords
        return [spec._replace(dwords=size, written=True), spec]
    return [spec]


def data_registers(op: str, layout: Layout, word: int) -> int:
    """Registers that vdata takes."""
    components = flag(layout, "dmask", word).bit_count() or 1
    if "gather4" in op or "msaa_load" in op:
        components = 4
    if flag(layout, "d16", word):
        components = (components + 1) // 2
    return components + flag(layout, "tfe", word)


def address_registers(op: str, layout: Layout, word: int) -> int:
    """Registers that the address takes."""
    parts = op.split("_")[2:]
    dimension = DIMENSIONS[flag(layout, "dim", word)]
    extra = sum(part in ("o", "b", "c") for part in parts)
    components = 0 if "resinfo" in parts else dimension.coordinates
    components += any(part in ("l", "cl", "mip", "resinfo") for part in parts)
    words = extra + ((components + 1) // 2 if flag(layout, "a16", word) else components)
    if "d" in parts:
        half = (dimension.gradients // 2 + 1) // 2 * 2
        words += half if "g16" in parts else dimension.gradients
    return words


def bvh_address(op: str, layout: Layout, word: int) -> list[int]:
    """Registers of each part of a ray: node, extent, origin, direction and its inverse."""
    node = 2 if "bvh64" in op or "bvh8" in op or "dual" in op else 1
    if "bvh8" in op or "dual" in op:
        return [2, 2, 3, 3, 1 if "bvh8" in op else 2]
    return [node, 1, 3, 3] if flag(layout, "a16", word) else [node, 1, 3, 3, 3]


def _addresses(
    spec: OperandSpec, words: list[int], layout: Layout, target: Target, word: int
) -> list[OperandSpec]:
    total = sum(words)
    sequential = target.major == 11 and not flag(layout, "nsa", word)
    if sequential:
        return [spec._replace(dwords=16 if total > 12 else total)]
    most = SINGLE_ADDRESSES[target.major]
    if len(words) > most and total == len(words):
        words = [*words[: most - 1], len(words) - most + 1]
    roles = [f"vaddr{number}" if number or target.major == 12 else "vaddr" for number in range(len(words))]
    return [spec._replace(role=role, dwords=size) for role, size in zip(roles, words, strict=True)]
