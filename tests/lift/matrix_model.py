"""An independent model of the matrix instructions: where each matrix element stands, and plain sums of products.

Formulas: AMD's ISA guides (MI200, MI300: "Matrix Arithmetic Instructions"; RDNA3 7.9; RDNA4), in the form AMD's Matrix
Instruction Calculator uses. A place is (lane, element), an element being a slot of the format's width counted from the
lowest bit of the operand's first register.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Place = tuple[int, int]
BITS = {"f64": 64, "f32": 32, "xf32": 32, "i32": 32, "f16": 16, "bf16": 16, "fp8": 8, "bf8": 8, "i8": 8, "u8": 8}
BITS |= {"i4": 4, "u4": 4}


# -- numbers ---------------------------------------------------------------------------------------


def dtype_of(form: str, target: str) -> Any:
    """NumPy's type of a float format."""
    fnuz = target == "gfx942"
    return {
        "f64": np.float64,
        "f32": np.float32,
        "xf32": np.float32,
        "f16": np.float16,
        "bf16": ml_dtypes.bfloat16,
        "fp8": ml_dtypes.float8_e4m3fnuz if fnuz else ml_dtypes.float8_e4m3fn,
        "bf8": ml_dtypes.float8_e5m2fnuz if fnuz else ml_dtypes.float8_e5m2,
    }[form]


def codes(values: Array, form: str, target: str) -> Array:
    """Numbers as raw bits."""
    if form[0] in "iu":
        return values.astype(np.int64).astype(np.uint64) & np.uint64((1 << BITS[form]) - 1)
    raw = np.ascontiguousarray(values.astype(dtype_of(form, target)))
    return raw.view(f"u{BITS[form] // 8}").astype(np.uint64)


def registers(raw: Array, bits: int) -> Array:
    """Codes (lanes, elements) as dwords (registers, lanes)."""
    lanes, count = raw.shape
    words = np.zeros((max(count * bits // 32, 1), lanes), np.uint32)
    for e in range(count):
        for part in range(max(bits // 32, 1)):
            piece = (raw[:, e] >> np.uint64(32 * part)) & np.uint64(0xFFFFFFFF)
            words[e * bits // 32 + part] |= (piece << np.uint64(e * bits % 32)).astype(np.uint32)
    return words


# -- layouts ---------------------------------------------------------------------------------------


def mfma_input(m: int, k_size: int, blocks: int, i: int, k: int, block: int) -> Place:
    """A[i][k] (or B[k][i]) of a block."""
    held = k_size // (64 // (m * blocks))
    return block * m + k // held * m * blocks + i, k % held


def mfma_output(m: int, i: int, j: int, block: int, strip: int) -> Place:
    """D[i][j]; strips of 4 rows (1 for f64) fill lanes, then registers."""
    per_register = 64 // m
    blocks_per_register = -(-64 // (m * m // strip))
    slot = block * (m * m // 64) + i // (strip * per_register) * strip + i % strip
    lane = block % blocks_per_register * m + i // strip % per_register * blocks_per_register * m + j
    return lane, slot


def blgp_lane(lane: int, blgp: int) -> int:
    """The lane that B is taken from."""
    return {0: lane, 1: lane % 32, 2: lane % 32 + 32, 3: (lane + 16) % 64}.get(blgp, lane % 16 + (blgp - 4) * 16)


def wmma11_output(i: int, j: int, lanes: int) -> Place:
    rows = lanes // 16
    return 16 * (i % rows) + j, i // rows


def wmma12_output(i: int, j: int, lanes: int) -> Place:
    if lanes == 32:
        return 16 * (i // 8) + j, i % 8
    return 32 * (i // 4 % 2) + 16 * (i // 8) + j, i % 4


def wmma12_input(i: int, k: int, lanes: int, bits: int, k_size: int) -> Place:
    """A[i][k] (or B[k][i]), dense."""
    if lanes == 32:
        if bits == 16:
            return 16 * (k // 4 % 2) + i, 4 * (k // 8) + k % 4
        half = k_size // 2
        return 16 * (k // half) + i, k % half
    if bits == 16:
        return 32 * (k // 8 % 2) + 16 * (k // 4 % 2) + i, k % 4
    if bits == 8:
        return 32 * (k // 4 % 2) + 16 * (k // 8 % 2) + i, k % 4
    if k_size == 16:
        return 16 * (k // 8) + i, k % 8
    return 32 * (k // 8 % 2) + 16 * (k // 16 % 2) + i, k % 8


def swmmac_b(j: int, k: int, lanes: int, bits: int, k_size: int) -> Place:
    """B[k][j] beside a sparse A."""
    if lanes == 32:
        if bits == 16:
            return 16 * (k // 8 % 2) + j, 8 * (k // 16) + k % 8
        half = k_size // 2
        return 16 * (k // half) + j, k % half
    if bits == 16:
        return 16 * (k // 8) + j, k % 8
    quarter = k_size // 4
    return 32 * (k // quarter % 2) + 16 * (k // (2 * quarter)) + j, k % quarter


def swmmac_a(i: int, k: int, lanes: int, bits: int, k_size: int) -> Place:
    """Where the two stored ones of A[i][k..k+3] begin."""
    if lanes == 32:
        if bits == 16:
            return 16 * (k // 8 % 2) + i, 4 * (k // 16) + 2 * (k // 4 % 2)
        half = k_size // 2
        return 16 * (k // half) + i, k % half // 4 * 2
    if bits == 16:
        return 16 * (k // 8) + i, k // 4 % 2 * 2
    if bits == 4 and k_size == 32:
        return 16 * (k // 16) + i, k // 4 % 4 * 2
    quarter = k_size // 4
    return 32 * (k // quarter % 2) + 16 * (k // (2 * quarter)) + i, k % quarter // 4 * 2


# -- instructions ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Op:
    """An instruction taken apart.

    Attributes:
        kind: mfma, smfmac, wmma, swmmac. out, a, b: formats. m, k, blocks: shape. target, lanes: of the wave.
    """

    kind: str
    out: str
    m: int
    k: int
    blocks: int
    a: str
    b: str
    target: str
    lanes: int

    @property
    def sparse(self) -> bool:
        return self.kind in ("smfmac", "swmmac")

    @property
    def b_count(self) -> int:
        """Elements of B in a lane."""
        if self.kind == "wmma" and self.target == "gfx1100":
            return self.k
        return 1 + max(self.b_place(k, j, block)[1] for k in range(self.k) for j in (0, self.m - 1) for block in (0,))

    @property
    def a_count(self) -> int:
        """Elements of A that a lane stores."""
        if not self.sparse:
            return self.b_count
        return 2 + max(self.a_pair(0, k)[1] for k in range(0, self.k, 4))

    def b_place(self, k: int, j: int, block: int) -> Place:
        if self.kind in ("mfma", "smfmac"):
            return mfma_input(self.m, self.k, self.blocks, j, k, block)
        if self.target == "gfx1100":
            return j, k
        place = swmmac_b if self.sparse else wmma12_input
        return place(j, k, self.lanes, BITS[self.b], self.k)

    def a_place(self, i: int, k: int, block: int) -> Place:
        return self.b_place(k, i, block)

    def a_pair(self, i: int, k: int) -> Place:
        """Lane and first element of the stored pair of A[i][k..k+3]."""
        if self.kind == "smfmac":
            return mfma_input(self.m, self.k // 2, 1, i, k // 2, 0)
        return swmmac_a(i, k, self.lanes, BITS[self.a], self.k)

    def d_place(self, i: int, j: int, block: int) -> Place:
        if self.kind in ("mfma", "smfmac"):
            return mfma_output(self.m, i, j, block, 1 if self.out == "f64" else 4)
        return (wmma11_output if self.target == "gfx1100" else wmma12_output)(i, j, self.lanes)

    @property
    def d_count(self) -> int:
        return self.m * self.m * self.blocks // self.lanes


def parse(name: str, target: str, a: str = "", b: str = "") -> Op:
    """Take a canonical name apart; `a` and `b` override the formats."""
    _, kind, out, size, *rest = name.split("_")
    m, _, k = (int(n) for n in size.split("x"))
    blocks = int(rest.pop(0)[:-1]) if rest[0][:-1].isdigit() else 1
    gfx, _, lanes = target.partition(":")
    wave = int(lanes or (64 if gfx.startswith("gfx9") else 32))
    return Op(kind, out, m, k, blocks, a or rest[0], b or rest[-1], gfx, wave)


def product(op: Op, a: Array, b: Array, cbsz: int = 0, abid: int = 0, blgp: int = 0) -> Array:
    """A * B of values (lanes, elements) as (lanes, accumulators), in float64 (exact for small integers)."""
    out = np.zeros((op.lanes, op.d_count))
    rows = [(i, k) for i in range(op.m) for k in range(op.k)]
    for block in range(op.blocks):
        from_block = (block >> cbsz << cbsz) + abid if cbsz else block
        left, right = np.zeros((op.m, op.k)), np.zeros((op.k, op.m))
        for i, k in rows:
            lane, e = op.a_place(i, k, from_block)
            left[i, k] = a[lane, e]
            lane, e = op.b_place(k, i, block)
            right[k, i] = b[blgp_lane(lane, blgp), e]
        _scatter(op, out, left @ right, block)
    return out


def sparse_product(op: Op, a: Array, b: Array, index: Array, first_bit: int) -> Array:
    """As `product` with a sparse A: `index` holds a lane's indices from bit `first_bit` on."""
    out = np.zeros((op.lanes, op.d_count))
    left, right = np.zeros((op.m, op.k)), np.zeros((op.k, op.m))
    for i in range(op.m):
        for k in range(0, op.k, 4):
            lane, e = op.a_pair(i, k)
            for n in (0, 1):
                left[i, k + (int(index[lane]) >> first_bit + 2 * (e + n) & 3)] += a[lane, e + n]
    for j in range(op.m):
        for k in range(op.k):
            lane, e = op.b_place(k, j, 0)
            right[k, j] = b[lane, e]
    _scatter(op, out, left @ right, 0)
    return out


def _scatter(op: Op, out: Array, d: Array, block: int) -> None:
    for i in range(op.m):
        for j in range(op.m):
            out[op.d_place(i, j, block)] = d[i, j]
