"""Products with a sparse A: v_smfmac_* of the CDNA GPUs, and what RDNA4's v_swmmac_* share with them.

Of each four elements of a row of A two are stored; two bits for each stored element tell its place among the four.
Rather than to spread A, each stored element is given the row of B that it meets.

Sources: AMD "MI300 ISA" guide (sparse matrices), AMD's Matrix Instruction Calculator, and for MI350's indices the
notes to LLVM's verifier of them (they follow from the width: two bits for each element that a lane stores).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from softrock.decode.instruction import Instruction
from softrock.lift.ir import Val
from softrock.lift.registry import raw
from softrock.lift.semantics.matrix import ORDER, Shape, accumulator_parts, parse
from softrock.lift.semantics.matrix_operands import elements
from softrock.lift.semantics.matrix_tile import PART, Tile, accumulate, store_rows

if TYPE_CHECKING:
    from softrock.lift.context import Wave


def sparse_rows(
    x: Wave, values: Sequence[Val], indices: Val, group: Callable[[int, int], int | None], a_stride: int, b_stride: int
) -> None:
    """Store the elements of a sparse A, and for each of them where its row of B is.

    Args:
        values: the elements that each lane stores. indices: their places, two bits each (u32 lanes).
        group: ``(n, part)``: the first of the four k that elements 2n and 2n + 1 of 16 lanes belong to; None for
            lanes that hold nothing of use.
        a_stride, b_stride: elements of a row of A and of B.
    """

    def where(e: int, lane: int) -> tuple[int, int] | None:
        first = group(e // 2, lane // PART)
        return None if first is None else (first // 2 + e % 2, lane % a_stride)

    rows = []
    for e in range(len(values)):
        first = x.b.vector("u32", [group(e // 2, lane // PART) or 0 for lane in range(x.W)])
        rows.append(((indices >> 2 * e & 3) + first) * (4 * b_stride))
    used = [lane // PART for lane in range(0, x.W, PART) if group(0, lane // PART) is not None]
    steps = len(values) * len(used) * PART // a_stride
    store_rows(x, "matrix_a", values, where, a_stride, steps)
    store_rows(x, "matrix_x", rows, where, a_stride, steps)


def _smfmac(op: str) -> None:
    shape = parse(op)
    exact = shape.out == "i32"

    @raw(op, approximate="" if exact else ORDER, cross_lane=True, reads_dst=True)
    def smfmac(x: Wave, inst: Instruction) -> None:
        """D = A * B + D with a sparse A."""
        _sparse_a(x, inst, shape)
        dense = shape.elements

        def where(e: int, lane: int) -> tuple[int, int]:
            return lane // shape.m * dense + e, lane % shape.m

        store_rows(x, "matrix_b", elements(x, inst.src[1], shape.b, dense), where, shape.m, shape.k)
        tile = Tile(32, shape.k // 2, shape.m, shape.m, accumulator_parts(shape, lambda block: block), True, True)
        c = [word.bits_as(shape.out) for word in x.read_words(inst.dst[0])]
        if exact:
            sums = accumulate(x, tile, [x.const("f32", 0.0)] * len(c))
            x.write_words_unmasked(inst.dst[0], [s.cut("i32") + old for s, old in zip(sums, c, strict=True)])
        else:
            x.write_words_unmasked(inst.dst[0], accumulate(x, tile, c))


def _sparse_a(x: Wave, inst: Instruction, shape: Shape) -> None:
    """A's elements, and their indices from the set that abid names where cbsz is 0 (the first set otherwise)."""
    count = shape.elements // 2
    abid = 0 if inst.mod("cbsz") else inst.mod("abid")
    if 2 * count * (abid + 1) > 32:
        raise x.unsupported(inst, f"abid:{abid}")
    indices = x.read_word(inst.src[2]) >> 2 * count * abid

    def group(n: int, part: int) -> int:
        return 2 * (PART * part // shape.m * count) + 4 * n

    sparse_rows(x, elements(x, inst.src[0], shape.a, count), indices, group, shape.m, shape.m)


_OPS = """
    f32_16x16x32_f16 f32_32x32x16_f16 f32_16x16x32_bf16 f32_32x32x16_bf16 i32_16x16x64_i8 i32_32x32x32_i8
    f32_16x16x64_bf8_bf8 f32_16x16x64_bf8_fp8 f32_16x16x64_fp8_bf8 f32_16x16x64_fp8_fp8
    f32_32x32x32_bf8_bf8 f32_32x32x32_bf8_fp8 f32_32x32x32_fp8_bf8 f32_32x32x32_fp8_fp8
    f32_16x16x64_f16 f32_32x32x32_f16 f32_16x16x64_bf16 f32_32x32x32_bf16 i32_16x16x128_i8 i32_32x32x64_i8
    f32_16x16x128_bf8_bf8 f32_16x16x128_bf8_fp8 f32_16x16x128_fp8_bf8 f32_16x16x128_fp8_fp8
    f32_32x32x64_bf8_bf8 f32_32x32x64_bf8_fp8 f32_32x32x64_fp8_bf8 f32_32x32x64_fp8_fp8
"""
for _op in _OPS.split():
    _smfmac(f"v_smfmac_{_op}")
