"""Matrix instructions of the RDNA GPUs: v_wmma_* of RDNA3 and RDNA4, v_swmmac_* of RDNA4.

Sources: AMD "RDNA3 ISA" (7.9) and "RDNA4 ISA" guides, AMD's Matrix Instruction Calculator for the layouts. RDNA3
holds A and B twice (four times in wave64), once in every 16 lanes, and the guide asks for equal copies: the first is
used. The guides do not say how the hardware sums: here products are added one after the other to an f32 (an i32 for
integers), and 16-bit results are rounded once at the end.

All lanes take part, whatever EXEC says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from softrock.decode.instruction import Instruction, Kind, Operand
from softrock.lift.ir import Val
from softrock.lift.registry import raw
from softrock.lift.semantics.matrix_dense import add_product, halves, staged, store_pairs
from softrock.lift.semantics.matrix_operands import WIDTH, elements, widen
from softrock.lift.semantics.matrix_sparse import sparse_rows
from softrock.lift.semantics.matrix_tile import PART, Part, Tile, Where, accumulate, store_rows

if TYPE_CHECKING:
    from softrock.lift.context import Wave

ORDER = "accumulation order of the products within one instruction"
SIZE = 16
"""Rows and columns of every result."""


class Shape(NamedTuple):
    """D (16 x 16) = A (16 x k) * B (k x 16) + C; formats of A and B (``iu8``: signed or not), and of C and D."""

    out: str
    k: int
    a: str
    b: str
    sparse: bool


def parse(op: str) -> Shape:
    """``v_wmma_f32_16x16x16_f16``, ``v_swmmac_f32_16x16x32_fp8_bf8`` … taken apart."""
    _, kind, out, size, *forms = op.split("_")
    return Shape(out, int(size.split("x")[2]), forms[0], forms[-1], kind == "swmmac")


def bits_of(form: str) -> int:
    """Bits of an element, ``iu8`` and ``iu4`` included."""
    return WIDTH[form.replace("u", "") if form.startswith("iu") else form]


# -- layouts ---------------------------------------------------------------------------------------


def groups_of_k(lanes: int, bits: int, k: int, sparse: bool) -> list[int]:
    """RDNA4: the k at which each 16 lanes begin; lanes past the list hold nothing of use.

    Element e of a lane then is ``start + e``, but for 16-bit formats in wave32, see `row_place`.
    """
    if sparse:
        if lanes == 32:
            return [0, 8] if bits == 16 else [0, k // 2]
        if bits == 16:
            return [0, 8, 16, 24]
    elif lanes == 32:
        return [0, 4] if bits == 16 else [0, k // 2]
    elif bits == 16:
        return [0, 4, 8, 12]
    elif bits == 4 and k == 16:
        return [0, 8]
    return [0, k // 2, k // 4, k // 4 * 3]


def row_place(x: Wave, shape: Shape) -> Where:
    """Where elements of A and B stand in dense rows (of B, where A is sparse)."""
    if x.target.major == 11:
        return lambda e, lane: (e, 0)
    bits = bits_of(shape.b)
    starts = groups_of_k(x.W, bits, shape.k, shape.sparse)
    run = shape.k
    if bits == 16 and x.W == 32:
        run = 8 if shape.sparse else 4  # elements in a row before the other half of the wave has its turn

    def where(e: int, lane: int) -> tuple[int, int] | None:
        part = lane // PART
        return (starts[part] + e // run * 2 * run + e % run, 0) if part < len(starts) else None

    return where


def element_count(x: Wave, shape: Shape) -> int:
    """Elements of B in a lane, as many as of a dense A."""
    if x.target.major == 11:
        return shape.k
    return shape.k // len(groups_of_k(x.W, bits_of(shape.b), shape.k, shape.sparse))


def accumulator_parts(x: Wave) -> tuple[tuple[Part, ...], ...]:
    """Rows in each accumulator (a register, or a half of one in RDNA4's 16-bit results)."""
    parts = x.W // PART
    if x.target.major == 11:
        return tuple(tuple((r * parts + p, 0) for p in range(parts)) for r in range(SIZE // parts))
    starts = [0, 8] if x.W == 32 else [0, 8, 4, 12]
    return tuple(tuple((start + r, 0) for start in starts) for r in range(SIZE // parts))


# -- operands --------------------------------------------------------------------------------------


def _form(x: Wave, inst: Instruction, n: int, form: str) -> tuple[str, tuple[int, int]]:
    """The format of operand n, and which of its even and odd elements change their sign."""
    low, high = inst.mod("neg_lo") >> n & 1, inst.mod("neg_hi") >> n & 1
    if form.startswith("iu"):
        return ("i" if low else "u") + form[2:], (0, 0)
    if bits_of(form) == 8 and (low or high):
        raise x.unsupported(inst, f"neg of an {form} operand")
    return form, (low, high)


def _source(x: Wave, inst: Instruction, n: int, form: str, count: int) -> list[Val]:
    """The elements of operand n."""
    form, signs = _form(x, inst, n, form)
    return _signed(elements(x, inst.src[n], form, count, PART if x.target.major == 11 else 0), signs)


def _signed(values: list[Val], signs: tuple[int, int]) -> list[Val]:
    return [-v if signs[e & 1] else v for e, v in enumerate(values)]


def _stage(x: Wave, inst: Instruction, shape: Shape, n: int, where: Where) -> str:
    """The array that holds a dense operand: n is 0 for A, 1 for B."""
    form, signs = _form(x, inst, n, (shape.a, shape.b)[n])
    words = x.read_words(inst.src[n])
    pairs = n == 0 and form in ("f16", "bf16")

    def fill(array: str) -> None:
        few = [word.shuffle(range(PART)) for word in words] if x.target.major == 11 and x.W > PART else words
        if pairs:
            mask = signs[0] << 15 | signs[1] << 31
            store_pairs(x, array, [halves(x, word ^ mask, form) for word in few], where, SIZE)
        else:
            values = _signed(widen(x, few, form, element_count(x, shape)), signs)
            store_rows(x, array, values, where, SIZE, shape.k)

    return staged(x, words, (pairs, form, signs), 4 * SIZE * shape.k, fill)


def _read_accumulators(x: Wave, inst: Instruction, op: Operand, shape: Shape) -> list[Val]:
    """C as f32 or i32, row by row of a lane."""
    count = SIZE * SIZE // x.W
    out = shape.out
    if op.kind is not Kind.VGPR:
        return [x.read(op, out).to("i32" if out == "i32" else "f32")] * count
    if out in ("f32", "i32"):
        return [word.bits_as(out) for word in x.read_words(op, count)]
    if x.target.major == 11:
        shift = 16 * (inst.mod("op_sel") >> 2 & 1)
        parts = [word >> shift for word in x.read_words(op, count)]
    else:
        parts = [word >> 16 * half for word in x.read_words(op, count // 2) for half in (0, 1)]
    return [half.to("u16").bits_as(out).to("f32") for half in parts]


def _write(x: Wave, inst: Instruction, shape: Shape, total: list[Val]) -> None:
    op = inst.dst[0]
    if shape.out in ("f32", "i32"):
        x.write_words_unmasked(op, total)
        return
    narrow = [value.to(shape.out).bits_as("u16").to("u32") for value in total]
    if x.target.major > 11:
        x.write_words_unmasked(op, [narrow[n] | narrow[n + 1] << 16 for n in range(0, len(narrow), 2)])
        return
    old = x.read_words(op, len(narrow))  # the other half of a register stays
    if inst.mod("op_sel") & 4:
        words = [was & 0xFFFF | half << 16 for was, half in zip(old, narrow, strict=True)]
    else:
        words = [was & 0xFFFF0000 | half for was, half in zip(old, narrow, strict=True)]
    x.write_words_unmasked(op, words)


# -- the instructions ------------------------------------------------------------------------------


def _wmma(op: str) -> None:
    shape = parse(op)
    integer = shape.out == "i32"
    halves = shape.out in ("f16", "bf16")

    @raw(op, approximate="" if integer else ORDER, cross_lane=True, reads_dst=shape.sparse or halves)
    def wmma(x: Wave, inst: Instruction) -> None:
        """D = A * B + C; where A is sparse, D = A * B + D."""
        where = row_place(x, shape)
        if shape.sparse:
            values = _source(x, inst, 1, shape.b, element_count(x, shape))
            store_rows(x, "matrix_b", values, where, SIZE, shape.k)
            _sparse_source(x, inst, shape, groups_of_k(x.W, bits_of(shape.a), shape.k, True))
            tile = Tile(32, shape.k // 2, SIZE, SIZE, accumulator_parts(x), True, True)
            product: tuple[str, ...] = ("matrix_a", "matrix_b", "matrix_x")
        else:
            product = tuple(_stage(x, inst, shape, n, where) for n in (0, 1))
            unroll = 2 if shape.a in ("f16", "bf16") else 1
            tile = Tile(32, shape.k, SIZE, SIZE, accumulator_parts(x), True, unroll=unroll)
            if shape.out == "f32" and not (inst.mod("neg_lo") | inst.mod("neg_hi")) & 4:
                add_product(x, tile, product[0], product[1], inst.src[2], inst.dst[0])
                return
        c = _accumulators(x, inst, shape)
        if not integer:
            _write(x, inst, shape, accumulate(x, tile, c, product))
            return
        sums = accumulate(x, tile, [x.const("f32", 0.0)] * len(c), product)
        total = [value.cut("i32") for value in sums]  # exact: at most 64 products of 16 bits
        _write(x, inst, shape, [t.add_sat(o) if inst.mod("clamp") else t + o for t, o in zip(total, c, strict=True)])


def _accumulators(x: Wave, inst: Instruction, shape: Shape) -> list[Val]:
    if shape.sparse:
        return _read_accumulators(x, inst, inst.dst[0], shape)
    c = _read_accumulators(x, inst, inst.src[2], shape)
    if shape.out == "i32":
        return c
    if inst.mod("neg_hi") & 4:
        c = [value.fabs() for value in c]
    return [-value for value in c] if inst.mod("neg_lo") & 4 else c


def _sparse_source(x: Wave, inst: Instruction, shape: Shape, starts: list[int]) -> None:
    """Elements of a sparse A and the rows of B that they meet."""
    bits = bits_of(shape.a)
    if bits == 4 and shape.k == 32 and x.W == 64:
        starts = [0, 16]  # A fits half the wave
    count = shape.k // 2 // len(starts)
    run = 8 if bits == 16 and x.W == 32 else shape.k

    def group(n: int, part: int) -> int | None:
        return starts[part] + 4 * n // run * 2 * run + 4 * n % run if part < len(starts) else None

    sets = 16 // count
    key = inst.mod("index_key")
    if key >= sets:
        raise x.unsupported(inst, f"index_key:{key}")
    values = _source(x, inst, 0, shape.a, count)
    sparse_rows(x, values, x.read_word(inst.src[2]) >> 2 * count * key, group, SIZE, SIZE)


_OPS = """
    v_wmma_f32_16x16x16_f16 v_wmma_f32_16x16x16_bf16 v_wmma_f16_16x16x16_f16 v_wmma_bf16_16x16x16_bf16
    v_wmma_i32_16x16x16_iu8 v_wmma_i32_16x16x16_iu4 v_wmma_i32_16x16x32_iu4 v_wmma_f32_16x16x16_fp8_fp8
    v_wmma_f32_16x16x16_fp8_bf8 v_wmma_f32_16x16x16_bf8_fp8 v_wmma_f32_16x16x16_bf8_bf8
    v_swmmac_f32_16x16x32_f16 v_swmmac_f32_16x16x32_bf16 v_swmmac_f16_16x16x32_f16 v_swmmac_bf16_16x16x32_bf16
    v_swmmac_i32_16x16x32_iu8 v_swmmac_i32_16x16x32_iu4 v_swmmac_i32_16x16x64_iu4 v_swmmac_f32_16x16x32_fp8_fp8
    v_swmmac_f32_16x16x32_fp8_bf8 v_swmmac_f32_16x16x32_bf8_fp8 v_swmmac_f32_16x16x32_bf8_bf8
"""
for _op in _OPS.split():
    _wmma(_op)
