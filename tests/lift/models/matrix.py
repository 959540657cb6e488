"""Matrix instructions: where each element stands, in plain loops (MI300 ISA guide, chapter 7; RDNA3 ISA guide, 7.9).

``multiply`` gives the exact products and sums in double precision (integers: exact), and the sum of magnitudes that
bounds the error of any order of addition.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from tests.lift.models.formats import BF8_FNUZ, BF16, F16, F32, FP8_FNUZ, Format
from tests.lift.models.integer import signed

Words = npt.NDArray[np.uint32]
Numbers = npt.NDArray[np.float64]
FLOATS: dict[str, Format] = {"f16": F16, "bf16": BF16, "f32": F32, "xf32": F32, "fp8": FP8_FNUZ, "bf8": BF8_FNUZ}
SIZES = {"f16": 16, "bf16": 16, "f32": 32, "xf32": 32, "fp8": 8, "bf8": 8, "i8": 8, "iu8": 8, "iu4": 4, "f64": 64}


@dataclass(frozen=True)
class Shape:
    """M x N x K of one block, number of blocks, and element types."""

    m: int
    n: int
    k: int
    blocks: int
    result: str
    a: str
    b: str
    sparse: bool = False


def shape_of(op: str) -> Shape:
    """The shape that an operation's name tells."""
    found = re.fullmatch(r"v_(s?m?wmma|s?mfmac?)_(\w+?)_(\d+)x(\d+)x(\d+)(?:_(\d+)b)?_(\w+)", op)
    assert found is not None, op
    kind, result, m, n, k, blocks, types = found.groups()
    a, _, b = types.partition("_")
    return Shape(int(m), int(n), int(k), int(blocks or 1), result, a, b or a, kind == "smfmac")


def element(words: list[Words], lane: int, index: int, elem: str, is_signed: bool = True) -> float:
    """Element `index` of a lane's registers."""
    bits = SIZES[elem]
    if bits == 64:
        raw = int(words[2 * index][lane]) | int(words[2 * index + 1][lane]) << 32
        return float(np.uint64(raw).view(np.float64))
    raw = int(words[index * bits // 32][lane]) >> index * bits % 32 & ((1 << bits) - 1)
    if elem in FLOATS:
        return FLOATS[elem].value(raw)
    return float(signed(raw, bits) if is_signed else raw)


# -- CDNA: V_MFMA ------------------------------------------------------------------------------------------------------


def mfma_lane(s: Shape, row: int, k: int, block: int, size: int, length: int) -> tuple[int, int]:
    """(lane, element) of A[row][k] or B[k][column]: a lane holds `length` consecutive k of one row."""
    return row + size * (block + s.blocks * (k // length)), k % length


def mfma_place(s: Shape, i: int, j: int, block: int) -> tuple[int, int]:
    """(lane, number in the lane) of D[i][j]."""
    if s.result == "f64":  # consecutive registers skip four rows
        return (j + 16 * (i % 4), i // 4) if s.m == 16 else (j + 4 * block + 16 * i, 0)
    if s.m == 4:
        return j + 4 * block, i
    groups = 64 // s.n  # lane groups, each of which holds four consecutive rows at a time
    per_block = s.m * s.n // 64
    return j + s.n * (i // 4 % groups), block * per_block + i // (4 * groups) * 4 + i % 4


def operands(s: Shape, words: list[Words], size: int, elem: str, depth: int) -> Numbers:
    """The blocks of A (or of B, transposed) as an array (block, row, k) of `depth` stored k."""
    length = depth * size * s.blocks // 64
    out = np.zeros((s.blocks, size, depth))
    for block in range(s.blocks):
        for row in range(size):
            for k in range(depth):
                lane, index = mfma_lane(s, row, k, block, size, length)
                out[block, row, k] = element(words, lane, index, elem)
    return out


def broadcast_a(a: Numbers, cbsz: int, abid: int) -> Numbers:
    """CBSZ and ABID: every group of 2**CBSZ blocks takes the A of its block ABID."""
    if not cbsz:
        return a
    group = 1 << cbsz
    return np.stack([a[b // group * group + abid] for b in range(len(a))])


def swizzle_b(words: list[Words], blgp: int) -> list[Words]:
    """BLGP: which lanes B comes from."""
    lanes = np.arange(64)
    source = {
        0: lanes,
        1: lanes % 32,
        2: lanes % 32 + 32,
        3: (lanes + 16) % 64,
        4: lanes % 16,
        5: lanes % 16 + 16,
        6: lanes % 16 + 32,
        7: lanes % 16 + 48,
    }[blgp]
    return [w[source] for w in words]


def expand(s: Shape, a: Numbers, index: Words, abid: int, cbsz: int) -> Numbers:
    """A of V_SMFMAC with its zeros: of each four consecutive k two are stored, at places that 2-bit indices tell. A
    lane's indices are one set of bits of its index register, which ABID picks unless CBSZ is set."""
    stored = s.k // 2
    length = stored * s.m // 64
    bits = 2 * length
    out = np.zeros((1, s.m, s.k))
    for row in range(s.m):
        for k in range(stored):
            lane, place = mfma_lane(s, row, k, 0, s.m, length)
            chosen = int(index[lane]) >> bits * (0 if cbsz else abid)
            where = chosen >> 2 * place & 3
            out[0, row, k // 2 * 4 + where] += a[0, row, k]
    return out


def mfma(
    s: Shape, a: list[Words], b: list[Words], c: list[Words], mods: dict[str, int], index: Words | None = None
) -> tuple[list[Numbers], list[Numbers]]:
    """(exact results, sums of magnitudes), each by number in the lane as arrays of 64 lanes."""
    negated = mods.get("blgp", 0) if s.result == "f64" else 0
    if s.result != "f64":
        b = swizzle_b(b, mods.get("blgp", 0))
    left = operands(s, a, s.m, s.a, s.k // 2 if s.sparse else s.k)
    right = operands(s, b, s.n, s.b, s.k)
    if s.sparse:
        assert index is not None
        left = expand(s, left, index, mods.get("abid", 0), mods.get("cbsz", 0))
    else:
        left = broadcast_a(left, mods.get("cbsz", 0), mods.get("abid", 0))
    if negated & 1:
        left = -left
    if negated & 2:
        right = -right
    count = s.m * s.n * s.blocks // 64
    exact, size = np.zeros((count, 64)), np.zeros((count, 64))
    for block in range(s.blocks):
        for i in range(s.m):
            for j in range(s.n):
                lane, number = mfma_place(s, i, j, block)
                start = (
                    element(c, lane, number, "f64" if s.result == "f64" else "f32")
                    if s.result != "i32"
                    else float(signed(int(c[number][lane]), 32))
                )
                if negated & 4:
                    start = -start
                products = left[block, i] * right[block, j]
                exact[number, lane] = start + products.sum()
                size[number, lane] = abs(start) + np.abs(products).sum()
    return list(exact), list(size)


# -- RDNA3: V_WMMA --------------------------------------------------------------------------------------------------


def wmma_place(i: int, j: int, lanes: int) -> tuple[int, int]:
    """(lane, register) of D[i][j]: rows go round the groups of 16 lanes."""
    groups = lanes // 16
    return j + 16 * (i % groups), i // groups


def wmma(
    s: Shape,
    a: list[Words],
    b: list[Words],
    c: list[Words],
    mods: dict[str, int],
    lanes: int,
) -> tuple[list[Numbers], list[Numbers]]:
    """As `mfma`; a lane holds a row of A and a column of B, and lanes 16 apart hold the same."""
    low, high = mods.get("neg_lo", 0), mods.get("neg_hi", 0)
    integer = s.result == "i32"

    def matrix(words: list[Words], elem: str, which: int) -> Numbers:
        out = np.zeros((16, 16))
        for row in range(16):
            for k in range(16):
                value = element(words, row, k, elem, bool(low >> which & 1))
                if not integer and (high if k & 1 else low) >> which & 1:
                    value = -value
                out[row, k] = value
        return out

    left, right = matrix(a, s.a, 0), matrix(b, s.b, 1)
    half = mods.get("op_sel", 0) >> 2 & 1
    count = 256 // lanes
    exact, size = np.zeros((count, lanes)), np.zeros((count, lanes))
    for i in range(16):
        for j in range(16):
            lane, number = wmma_place(i, j, lanes)
            if integer:
                start = float(signed(int(c[number][lane]), 32))
            elif s.result == "f32":
                start = element(c, lane, number, "f32")
            else:
                start = element(c, lane, 2 * number + half, s.result)
            if not integer:
                start = abs(start) if high & 4 else start
                start = -start if low & 4 else start
            products = left[i] * right[j]
            exact[number, lane] = start + products.sum()
            size[number, lane] = abs(start) + np.abs(products).sum()
    return list(exact), list(size)
