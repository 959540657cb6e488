"""LDS loads that transpose small matrices on their way into registers (MI350).

Each 16 lanes load 16 rows of eight bytes. Four (for 16-bit elements) or two (8-bit) lanes one after the other hold a
row of 16 elements; lane i of the 16 gets element i of each of those rows. Source: AMD "MI350 ISA" guide, and the
layouts with which Triton uses these loads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from softrock.decode.instruction import Instruction
from softrock.lift import access
from softrock.lift.ir import Ty
from softrock.lift.registry import raw
from softrock.lift.semantics.lds import address

if TYPE_CHECKING:
    from softrock.lift.context import Wave

_ROW = 16
"""Elements of a row, and lanes that work together."""


def sources(lanes: int, bits: int) -> list[int]:
    """For each element of the result, in the order of lanes, the number of the element that was loaded there."""
    held = 64 // bits
    out = []
    for lane in range(lanes):
        base, column = lane // _ROW * _ROW, lane % _ROW
        for row in range(held):
            out.append((base + row * (_ROW // held) + column // held) * held + column % held)
    return out


def _transposed(bits: int) -> None:
    @raw(f"ds_load_b64_tr_b{bits}", cross_lane=True)
    def load(x: Wave, inst: Instruction) -> None:
        low, high = access.load(x, address(x, inst, inst.mod("offset")), 8, ahead=False)
        pairs = (high.to("u64") << 32) | low.to("u64")
        elements = Ty("u", bits, x.W * 64 // bits)
        moved = x.b.op(elements, f"bitcast {pairs.typed} to {elements.llvm}").shuffle(sources(x.W, bits))
        whole = x.b.op(pairs.ty, f"bitcast {moved.typed} to {pairs.ty.llvm}")
        x.write_words(inst.dst[0], [whole.to("u32"), (whole >> 32).to("u32")])


_transposed(16)
_transposed(8)
