"""Matrix instructions of the CDNA GPUs: v_mfma_*.

Sources: AMD "MI200", "MI300" and "MI350" ISA guides (matrix arithmetic instructions), AMD's Matrix Instruction
Calculator for the layouts, MIOpen's documentation of MI200's flushed denormals, and for what the guides leave open the
published measurements of Xie et al., "MMA-Sim" (arXiv 2511.10909): f32 and f64 are chains of fused multiply-adds in
the order of k; xf32 cuts its inputs off. Other inputs are widened exactly and summed the same way here, while the
hardware adds the products of several k at once.

All lanes take part, whatever EXEC says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from softrock.decode.instruction import Instruction, Kind, Operand
from softrock.lift.ir import Val
from softrock.lift.registry import raw
from softrock.lift.semantics.matrix_dense import add_product, halves, staged, store_pairs
from softrock.lift.semantics.matrix_operands import WIDTH, elements, widen, with_signs
from softrock.lift.semantics.matrix_tile import Part, Tile, accumulate, store_rows

if TYPE_CHECKING:
    from softrock.lift.context import Wave

ORDER = "accumulation order of the products within one instruction"


class Shape(NamedTuple):
    """A matrix instruction: D (m x m, `blocks` times) = A (m x k) * B (k x m) + C, formats of A, B and of C and D."""

    out: str
    m: int
    k: int
    blocks: int
    a: str
    b: str

    @property
    def row(self) -> int:
        """Elements of A that one k has in all blocks."""
        return self.m * self.blocks

    @property
    def elements(self) -> int:
        """Elements of A (and of B) that a lane holds."""
        return self.k * self.row // 64


def parse(op: str) -> Shape:
    """``v_mfma_f32_16x16x4_4b_f16``, ``v_mfma_f32_16x16x32_fp8_bf8`` … taken apart."""
    out, size, *rest = op.split("_")[2:]
    m, _, k = (int(n) for n in size.split("x"))
    blocks = int(rest.pop(0)[:-1]) if rest[0][:-1].isdigit() else 1
    return Shape(out, m, k, blocks, rest[0], rest[-1])


def row_place(shape: Shape) -> Callable[[int, int], tuple[int, int]]:
    """Where element e of a lane stands in the rows of A or B: lanes run over i and blocks, then over groups of k."""
    return lambda e, lane: (lane // shape.row * shape.elements + e, lane % shape.row)


def accumulator_parts(shape: Shape, a_block: Callable[[int], int]) -> tuple[tuple[Part, ...], ...]:
    """Rows and columns in each accumulator register (a pair for f64).

    Rows go to registers by four, or singly for f64, each such strip filling `m` lanes; then to the next lanes.
    """
    strip = 1 if shape.out == "f64" else 4
    registers = shape.m * shape.m // 64
    out = []
    for block in range(shape.blocks):
        for r in range(registers):
            parts = []
            for lane in range(0, 64, 16):
                row = (r // strip * (64 // shape.m) + lane // shape.m) * strip + r % strip
                parts.append((a_block(block) * shape.m + row, block * shape.m + lane % shape.m))
            out.append(tuple(parts))
    return tuple(out)


# -- modifiers -------------------------------------------------------------------------------------


def _check_modifiers(x: Wave, inst: Instruction, shape: Shape) -> None:
    cbsz, abid, blgp = (inst.mod(name) for name in ("cbsz", "abid", "blgp"))
    if (cbsz or abid) and (1 << cbsz > shape.blocks or abid >= 1 << cbsz):
        raise x.unsupported(inst, f"cbsz:{cbsz} abid:{abid} with {shape.blocks} blocks")
    if blgp and not _takes_blgp(x, shape):
        raise x.unsupported(inst, f"blgp:{blgp}")


def _takes_blgp(x: Wave, shape: Shape) -> bool:
    """MI200 moves B's lanes in all but double precision; later GPUs only for f32 and several blocks, and have signs for
    f64 in the same bits."""
    if x.target.family == "cdna2":
        return shape.out != "f64"
    return shape.out == "f64" or shape.blocks > 1 or shape.a == "f32"


def b_lanes(blgp: int) -> list[int]:
    """The lane whose element of B each lane stands for (ISA guides, BLGP)."""
    if blgp == 3:
        return [(lane + 16) % 64 for lane in range(64)]
    if blgp >= 4:
        return [lane % 16 + 16 * (blgp - 4) for lane in range(64)]
    return [lane if not blgp else lane % 32 + 32 * (blgp - 1) for lane in range(64)]


# -- dense products --------------------------------------------------------------------------------


def _mfma(op: str) -> None:
    shape = parse(op)
    exact = shape.a in ("f32", "f64", "i8")

    @raw(op, approximate="" if exact else ORDER, cross_lane=True)
    def mfma(x: Wave, inst: Instruction) -> None:
        """D = A * B + C."""
        _check_modifiers(x, inst, shape)
        if shape.m > 4 and shape.out != "f64":
            _dense(x, inst, shape)
            return
        signs = inst.mod("blgp") if shape.out == "f64" else 0
        a, b = (elements(x, op, form, shape.elements) for op, form in zip(inst.src, (shape.a, shape.b), strict=False))
        a = with_signs(a, signs & 1)
        b = with_signs(b, signs & 2)
        if shape.out != "f64" and inst.mod("blgp"):
            lanes = b_lanes(inst.mod("blgp"))
            b = [value.shuffle(lanes) for value in b]
        c = with_signs(read_accumulators(x, inst.src[2], shape.out, inst.dst[0].dwords), signs & 4)
        sums = [x.const("f32", 0.0)] * len(c) if shape.out == "i32" else c
        write_accumulators(x, inst, shape.out, (_small if shape.m == 4 else _double)(x, inst, shape, a, b, sums), c)


def read_accumulators(x: Wave, op: Operand, out: str, dwords: int) -> list[Val]:
    """C, a value for each register (pair of registers for f64) of the result."""
    if out == "f64":
        pairs = range(0, dwords, 2)
        if op.kind in (Kind.VGPR, Kind.AGPR):
            return [x.regs.vector.read_pair(x.bank_index(op) + r).bits_as("f64") for r in pairs]
        return [x.read(op, "f64") for _ in pairs]
    return [word.bits_as(out) for word in x.read_words(op, dwords)]


def write_accumulators(x: Wave, inst: Instruction, out: str, total: list[Val], c: list[Val]) -> None:
    """Write D; the products of integers were summed as floats from 0, exactly, and are added to C here."""
    if out == "f64":
        r = x.bank_index(inst.dst[0])
        for n, value in enumerate(total):
            x.regs.vector.write_pair(r + 2 * n, value)
        return
    if out == "i32":
        total = [value.cut("i32") + old for value, old in zip(total, c, strict=True)]
    elif x.target.family == "cdna2" and WIDTH[_input(inst)] == 16:
        total = [flush_f32(value) for value in total]
    x.write_words_unmasked(inst.dst[0], total)


def _input(inst: Instruction) -> str:
    return inst.op.rsplit("_", 1)[1]


def flush_f32(value: Val) -> Val:
    """Denormals become zero of their sign."""
    raw_bits = value.bits_as("u32")
    return value.fabs().lt(2.0**-126).select(raw_bits & 0x80000000, raw_bits).bits_as("f32")


def _a_block(inst: Instruction) -> Callable[[int], int]:
    """The block of A that a block of the result uses: one of each 2^cbsz blocks, number abid, for all of them."""
    cbsz, abid = inst.mod("cbsz"), inst.mod("abid")
    return lambda block: (block >> cbsz << cbsz) + abid if cbsz else block


def _dense(x: Wave, inst: Instruction, shape: Shape) -> None:
    """Anything larger than 4 x 4 but doubles."""
    where = row_place(shape)
    pairs = shape.a in ("f16", "bf16")
    tile = Tile(
        bits=32,
        steps=shape.k,
        a_stride=shape.row,
        b_stride=shape.row,
        parts=accumulator_parts(shape, _a_block(inst)),
        exact=shape.a not in ("f32", "xf32"),
        unroll=2 if pairs else 1,
    )
    left, right = (x.read_words(op) for op in inst.src[:2])
    size = 4 * shape.row * shape.k

    def fill_a(array: str) -> None:
        if pairs:
            store_pairs(x, array, [halves(x, word, shape.a) for word in left], where, shape.row)
        else:
            store_rows(x, array, widen(x, left, shape.a, shape.elements), where, shape.row, shape.k)

    def fill_b(array: str) -> None:
        values = widen(x, right, shape.b, shape.elements)
        if inst.mod("blgp"):
            lanes = b_lanes(inst.mod("blgp"))
            values = [value.shuffle(lanes) for value in values]
        store_rows(x, array, values, where, shape.row, shape.k)

    a = staged(x, left, ("a", shape.a, shape.row), size, fill_a)
    b = staged(x, right, ("b", shape.b, shape.row, inst.mod("blgp")), size, fill_b)
    if shape.out == "f32" and x.target.family != "cdna2":
        add_product(x, tile, a, b, inst.src[2], inst.dst[0])
        return
    c = read_accumulators(x, inst.src[2], shape.out, inst.dst[0].dwords)
    start = [x.const("f32", 0.0)] * len(c) if shape.out == "i32" else c
    write_accumulators(x, inst, shape.out, accumulate(x, tile, start, (a, b)), c)


def _double(x: Wave, inst: Instruction, shape: Shape, a: list[Val], b: list[Val], c: list[Val]) -> list[Val]:
    where = row_place(shape)
    store_rows(x, "matrix_a", a, where, shape.row, shape.k)
    store_rows(x, "matrix_b", b, where, shape.row, shape.k)
    tile = Tile(64, shape.k, shape.row, shape.row, accumulator_parts(shape, _a_block(inst)), False)
    return accumulate(x, tile, c)


def _small(x: Wave, inst: Instruction, shape: Shape, a: list[Val], b: list[Val], c: list[Val]) -> list[Val]:
    """4 x 4 blocks: a step of k is a shuffle and a multiply-add of all lanes."""
    block_of = _a_block(inst)
    out = []
    for r, total in enumerate(c):
        for k in range(shape.k):
            if shape.out == "f64":  # lane = 16 k + 4 block + i; the result's is 16 i + 4 block + j
                left = a[0].shuffle([16 * k + (lane & 12) + lane // 16 for lane in range(64)])
                right = b[0].shuffle([16 * k + lane % 16 for lane in range(64)])
            else:
                left = a[k].shuffle([4 * block_of(lane // 4) + r for lane in range(64)])
                right = b[k]
            total = left.fma(right, total)
        out.append(total)
    return out


_OPS = """
    32x32x1_2b_f32 16x16x1_4b_f32 4x4x1_16b_f32 32x32x2_f32 16x16x4_f32 16x16x8_xf32 32x32x4_xf32
    32x32x4_2b_f16 16x16x4_4b_f16 4x4x4_16b_f16 32x32x8_f16 16x16x16_f16 16x16x32_f16 32x32x16_f16
    32x32x4_2b_bf16 16x16x4_4b_bf16 4x4x4_16b_bf16 32x32x8_bf16 16x16x16_bf16 16x16x32_bf16 32x32x16_bf16
    32x32x2_2b_bf16 16x16x2_4b_bf16 4x4x2_16b_bf16 32x32x4_bf16 16x16x8_bf16
    16x16x32_bf8_bf8 16x16x32_bf8_fp8 16x16x32_fp8_bf8 16x16x32_fp8_fp8
    32x32x16_bf8_bf8 32x32x16_bf8_fp8 32x32x16_fp8_bf8 32x32x16_fp8_fp8
    32x32x4_2b_i8 16x16x4_4b_i8 4x4x4_16b_i8 32x32x8_i8 16x16x16_i8 32x32x16_i8 16x16x32_i8 16x16x64_i8 32x32x32_i8
    16x16x4_f64 4x4x4_4b_f64
"""
for _op in _OPS.split():
    _out = {"i8": "i32", "f64": "f64"}.get(_op.rpartition("_")[2], "f32")
    _mfma(f"v_mfma_{_out}_{_op}")
