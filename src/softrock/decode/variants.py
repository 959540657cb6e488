"""Which operands an encoding has where address bits decide it.

A row of the table stands for all addressing forms of an instruction. `selector` names the bits of the word that pick
the form, `specialise` the operands of that form.
"""

from __future__ import annotations

from collections.abc import Callable

from softrock.decode.fields import bits, extract, flag
from softrock.decode.images import image_operands
from softrock.isa import Layout, OperandSpec, Row, Target
from softrock.isa.tables import Field, Piece

GFX9_OFF = 0x7F


_SELECTORS = {
    "MUBUF": ("offen", "idxen", "tfe", "c0", "th"),
    "MTBUF": ("offen", "idxen", "tfe"),
    "GLOBAL": ("saddr",),
    "SCRATCH": ("saddr", "sve"),
    "SMEM": ("imm", "soffset_en", "soffset", "glc"),
    "MIMG": ("nsa", "dim", "dmask", "d16", "a16", "tfe", "c0"),
    "VIMAGE": ("dim", "dmask", "d16", "a16", "tfe", "th"),
    "VSAMPLE": ("dim", "dmask", "d16", "a16", "tfe"),
}


def selector(row: Row, layout: Layout) -> int:
    """The bits of the word that pick the form of a row."""
    found = 0
    names = ("cbsz", "blgp") if row.op.endswith("_f8f6f4") else _SELECTORS.get(row.encoding, ())
    for name in names:
        if name in layout:
            found |= bits(layout[name])
    return found


def specialise(row: Row, layout: Layout, target: Target, word: int) -> list[OperandSpec]:
    """Operands of the form that the word picks."""
    chosen = _FORMS.get(row.encoding)
    return chosen(row, layout, target, word) if chosen else row.operands


def _buffer(row: Row, layout: Layout, target: Target, word: int) -> list[OperandSpec]:
    address = flag(layout, "offen", word) + flag(layout, "idxen", word)
    found = []
    for spec in row.operands:
        if spec.role == "vaddr":
            if not address:
                continue
            spec = spec._replace(dwords=address)
        elif spec.role == "vdata":
            if flag(layout, "tfe", word):
                spec = spec._replace(dwords=spec.dwords + 1)
            returns = flag(layout, "c0", word) or flag(layout, "th", word) & 1
            if "_atomic_" in row.op and returns:
                size = spec.dwords // 2 if "cmpswap" in row.op else spec.dwords
                found.append(spec._replace(written=True, dwords=size))
        found.append(spec)
    return found


def _global(row: Row, layout: Layout, target: Target, word: int) -> list[OperandSpec]:
    if _no_saddr(layout, target, word):
        return [spec for spec in row.operands if spec.role != "saddr"]
    return [spec._replace(dwords=1) if spec.role == "vaddr" else spec for spec in row.operands]


def _scratch(row: Row, layout: Layout, target: Target, word: int) -> list[OperandSpec]:
    dropped = set()
    without = _no_saddr(layout, target, word)
    if without:
        dropped.add("saddr")
    has_vector = without if target.family == "cdna2" else flag(layout, "sve", word)
    if not has_vector:
        dropped.add("vaddr")
    return [spec for spec in row.operands if spec.role not in dropped]


def _no_saddr(layout: Layout, target: Target, word: int) -> bool:
    off = GFX9_OFF if target.null_sgpr is None else target.null_sgpr
    return extract(layout["saddr"], word) == off


def _scalar_memory(row: Row, layout: Layout, target: Target, word: int) -> list[OperandSpec]:
    operands = row.operands
    if target.null_sgpr is None:
        immediate, register = flag(layout, "imm", word), flag(layout, "soffset_en", word)
        if immediate and not register:
            operands = [spec for spec in operands if spec.role != "soffset"]
        elif not immediate and not register:
            operands = [s._replace(role="soffset_low") if s.role == "soffset" else s for s in operands]
        if "_atomic_" in row.op and flag(layout, "glc", word):
            operands = [*operands, operands[0]._replace(role="sdata", written=False)]
    elif extract(layout["soffset"], word) == target.null_sgpr:
        operands = [spec for spec in operands if spec.role != "soffset"]
    return operands


def _matrix(row: Row, layout: Layout, target: Target, word: int) -> list[OperandSpec]:
    """Matrix operands whose width depends on the wave size (WMMA; the table is for 32 lanes) or on their format."""
    if row.op.startswith(("v_wmma", "v_swmmac")) and target.wave_size == 64:
        halved = ("vdst", "src2") if target.major == 11 else ("vdst", "src0", "src1", "src2")
        return [s._replace(dwords=max(1, s.dwords // 2)) if s.role in halved else s for s in row.operands]
    if row.op.endswith("_f8f6f4"):
        widths = {"src0": F8F6F4_DWORDS[flag(layout, "cbsz", word)], "src1": F8F6F4_DWORDS[flag(layout, "blgp", word)]}
        return [spec._replace(dwords=widths.get(spec.role, spec.dwords)) for spec in row.operands]
    return row.operands


F8F6F4_DWORDS = (8, 8, 6, 6, 4, 8, 8, 8)
"""Registers of 32 elements by format: fp8, bf8, fp6, bf6, fp4."""
_FORMS: dict[str, Callable[[Row, Layout, Target, int], list[OperandSpec]]] = {
    "MUBUF": _buffer,
    "MTBUF": _buffer,
    "GLOBAL": _global,
    "SCRATCH": _scratch,
    "SMEM": _scalar_memory,
    "VOP3P": _matrix,
    "MIMG": image_operands,
    "VIMAGE": image_operands,
    "VSAMPLE": image_operands,
}


def layout_name(row: Row) -> str:
    """The layout of a row's fields."""
    if row.size == 16:
        return "VOP3P_X2"
    return "FLAT" if row.encoding in ("GLOBAL", "SCRATCH") else row.encoding


WHOLE_IMMEDIATE = Field("u", (Piece(32, 32),))
