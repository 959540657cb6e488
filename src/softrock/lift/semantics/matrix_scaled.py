"""MI350's matrix instructions for 8- and 4-bit floats in any pair, plain and with scales of blocks.

A lane holds 32 elements of a row of A (a column of B). Four-bit elements are 32 neighbours in k. Eight-bit ones are two
runs of 16: all lanes' first runs come before the second ones. Each 32 neighbours in k have a scale 2^(s - 127) of A's
row and one of B's column, in the lane of the row and block. The scaled sums are taken in double precision, which
neither overflows nor rounds what counts, and rounded at the end.

Sources: AMD's "Introduction to Matrix Core Programming on CDNA3 and CDNA4", the OCP "Microscaling Formats" and Triton's
layouts of operands and scales for these instructions. For six-bit elements there is no source that tells the order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from softrock.decode.instruction import Instruction, Operand
from softrock.lift.ir import Val
from softrock.lift.registry import raw
from softrock.lift.semantics.matrix import ORDER, Shape, accumulator_parts, parse, read_accumulators
from softrock.lift.semantics.matrix_operands import WIDTH, elements
from softrock.lift.semantics.matrix_tile import Tile, Where, accumulate, store_rows

if TYPE_CHECKING:
    from softrock.lift.context import Wave

_FORMS = {0: "fp8", 1: "bf8", 4: "fp4"}
_HELD = 32
"""Elements in a lane, and elements of a row that share a scale."""
_RUN = 16


def _form(x: Wave, inst: Instruction, field: str) -> str:
    form = _FORMS.get(inst.mod(field))
    if form is None:
        raise x.unsupported(inst, f"{field}:{inst.mod(field)}, six-bit floats")
    return form


def row_place(shape: Shape, form: str) -> Where:
    """Where element e of a lane stands in the rows of A or B."""
    groups = 64 // shape.m

    def where(e: int, lane: int) -> tuple[int, int]:
        group = lane // shape.m
        if WIDTH[form] == 4:
            return _HELD * group + e, lane % shape.m
        return _RUN * (groups * (e // _RUN) + group) + e % _RUN, lane % shape.m

    return where


def _scaled(x: Wave, inst: Instruction, shape: Shape, n: int, values: Sequence[Val], where: Where) -> list[Val]:
    """Elements of operand n times their scales, as f64."""
    byte = (inst.mod("op_sel") >> n & 1) + 2 * (inst.mod("op_sel_hi") >> n & 1)
    code = x.read_word(inst.src[3 + n]) >> 8 * byte & 0xFF
    raw_bits = (code.to("u64") + (1023 - 127)) << 52
    scale = code.eq(255).select(0x7FF8 << 48, raw_bits).bits_as("f64")
    out = []
    moved: dict[tuple[int, ...], Val] = {}
    for e, value in enumerate(values):
        lanes = tuple(_scale_lane(shape, where, e, lane) for lane in range(64))
        if lanes not in moved:
            moved[lanes] = scale.shuffle(lanes)
        out.append(value.to("f64") * moved[lanes])
    return out


def _scale_lane(shape: Shape, where: Where, e: int, lane: int) -> int:
    slot = where(e, lane)
    if slot is None:
        raise AssertionError("every lane holds elements")
    return slot[0] // _HELD * shape.m + slot[1]


def _store(x: Wave, inst: Instruction, shape: Shape, n: int, op: Operand, scales: bool) -> None:
    form = _form(x, inst, ("cbsz", "blgp")[n])
    where = row_place(shape, form)
    values = elements(x, op, form, _HELD)
    if scales:
        values = _scaled(x, inst, shape, n, values, where)
    store_rows(x, ("matrix_a", "matrix_b")[n], values, where, shape.m, shape.k)


def _f8f6f4(op: str, scales: bool) -> None:
    shape = parse(op.replace("scale_", ""))

    @raw(op, approximate=ORDER, cross_lane=True)
    def product(x: Wave, inst: Instruction) -> None:
        """D = A * B + C, A's and B's blocks of 32 scaled."""
        c = read_accumulators(x, inst.src[2], "f32", inst.dst[0].dwords)
        for n in (0, 1):
            _store(x, inst, shape, n, inst.src[n], scales)
        parts = accumulator_parts(shape, lambda block: block)
        tile = Tile(64 if scales else 32, shape.k, shape.m, shape.m, parts, True)
        if scales:
            c = [value.to("f64") for value in c]
        x.write_words_unmasked(inst.dst[0], [value.to("f32") for value in accumulate(x, tile, c)])


for _size in ("16x16x128", "32x32x64"):
    _f8f6f4(f"v_mfma_f32_{_size}_f8f6f4", scales=False)
    _f8f6f4(f"v_mfma_scale_f32_{_size}_f8f6f4", scales=True)
