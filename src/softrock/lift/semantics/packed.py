"""Packed operations (VOP3P): one operation on both halves of a register, or on two registers.

The functions see all halves of all lanes as one vector, so they must not ask for constants of the wave's width.
Sources: AMD "MI300 ISA", "RDNA3 ISA" and "RDNA4 ISA" guides, VOP3P.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from softrock.decode.instruction import Instruction
from softrock.lift.ir import Val
from softrock.lift.notes import fused, noted
from softrock.lift.registry import packed, raw
from softrock.lift.semantics.floats import canonical, maximum, minimum
from softrock.lift.semantics.vector_int import saturate

if TYPE_CHECKING:
    from softrock.lift.context import Wave


def _floats(f: str) -> None:
    packed(f"v_pk_add_{f}", f"{f} <- {f} {f}")(lambda x, a, b: canonical(a + b))
    packed(f"v_pk_mul_{f}", f"{f} <- {f} {f}")(lambda x, a, b: noted(a * b, "mul", a, b))
    packed(f"v_pk_fma_{f}", f"{f} <- {f} {f} {f}")(lambda x, a, b, c: fused(a.fma(b, c), a, b, c))


_floats("f16")
_floats("f32")
packed("v_pk_fmac_f16", "f16 <- f16 f16 dst:f16")(lambda x, a, b, c: canonical(a.fma(b, c)))
packed("v_pk_min_f16 v_pk_min_num_f16", "f16 <- f16 f16")(minimum)
packed("v_pk_max_f16 v_pk_max_num_f16", "f16 <- f16 f16")(maximum)
for _word in ("minimum", "maximum"):

    def _ieee2019(word: str) -> None:
        packed(f"v_pk_{word}_f16", "f16 <- f16 f16")(lambda x, a, b: canonical(a.intrinsic(word, b)))
        packed(f"v_pk_{word}3_f16", "f16 <- f16 f16 f16")(
            lambda x, a, b, c: canonical(a.intrinsic(word, b).intrinsic(word, c))
        )

    _ieee2019(_word)


def _integers(kind: str) -> None:
    two = f"{kind} <- {kind} {kind}"
    packed(f"v_pk_add_{kind}", two)(lambda x, a, b: a.add_sat(b) if x.clamp else a + b)
    packed(f"v_pk_sub_{kind}", two)(lambda x, a, b: a.sub_sat(b) if x.clamp else a - b)
    packed(f"v_pk_min_{kind}", two)(lambda x, a, b: a.imin(b))
    packed(f"v_pk_max_{kind}", two)(lambda x, a, b: a.imax(b))

    @packed(f"v_pk_mad_{kind}", f"{kind} <- {kind} {kind} {kind}")
    def mad(x: Wave, a: Val, b: Val, c: Val) -> Val:
        if x.clamp:
            return saturate(x, a.to("i64") * b.to("i64") + c.to("i64"), kind[0], 16)
        return a * b + c


_integers("i16")
_integers("u16")
packed("v_pk_mul_lo_u16", "u16 <- u16 u16")(
    lambda x, a, b: saturate(x, a.to("i64") * b.to("i64"), "u", 16) if x.clamp else a * b
)
packed("v_pk_lshlrev_b16", "u16 <- u16 u16")(lambda x, a, b: b << a)
packed("v_pk_lshrrev_b16", "u16 <- u16 u16")(lambda x, a, b: b >> a)
packed("v_pk_ashrrev_i16", "i16 <- u16 i16")(lambda x, a, b: b >> a)


@raw("v_pk_mov_b32")
def pk_mov(x: Wave, inst: Instruction) -> None:
    """One register of each source pair, chosen by op_sel."""
    pick = inst.mod("op_sel")
    words = [x.read_word(op, pick >> k & 1 if op.dwords == 2 else 0) for k, op in enumerate(inst.src[:2])]
    x.write_words(inst.dst[0], words)
