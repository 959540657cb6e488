"""Which registers a function uses mostly as 64-bit pairs: they get one 64-bit slot."""

from __future__ import annotations

from softrock.decode.instruction import Kind
from softrock.lift.cfg import Function


def of_scalars(graph: Function) -> dict[int, int]:
    """SGPR pairs that are mostly used as 64-bit values (addresses, masks of 64 lanes)."""
    whole: dict[int, int] = {}
    part: dict[int, int] = {}
    for block in graph.blocks.values():
        for inst in block.insts:
            # The halves of a long sum are put together where it is made; loads fill what their users ask for.
            neutral = inst.op.startswith(("s_add_u32", "s_addc_u32", "s_load", "s_buffer_load", "s_add_co"))
            for op in (*inst.dst, *inst.src):
                if op.kind is not Kind.SGPR or (neutral and (op.dwords != 2 or op in inst.dst)):
                    continue
                if op.dwords == 2 and op.index % 2 == 0:
                    whole[op.index] = whole.get(op.index, 0) + 1
                else:
                    for r in range(op.index, op.index + op.dwords):
                        part[r & ~1] = part.get(r & ~1, 0) + 1
    return {r: base for base, n in whole.items() if n > part.get(base, 0) for r in (base, base + 1)}


def of_vectors(graph: Function) -> dict[int, int]:
    """VGPR pairs that are mostly used as 64-bit values (addresses, doubles): they get one 64-bit slot."""
    whole: dict[int, int] = {}
    part: dict[int, int] = {}
    for block in graph.blocks.values():
        for inst in block.insts:
            wide_op = inst.op.endswith(("_f64", "_u64", "_i64", "_b64")) and inst.format.startswith("VOP")
            for op in (*inst.dst, *inst.src):
                if op.kind is not Kind.VGPR:
                    continue
                if op.dwords == 2 and (wide_op or op.role in ("vaddr", "addr")):
                    whole[op.index] = whole.get(op.index, 0) + 1
                else:
                    for r in range(op.index, op.index + op.dwords):
                        part[r] = part.get(r, 0) + 1
    pairs: dict[int, int] = {}
    for r in sorted(whole, key=lambda k: -whole[k]):
        if r in pairs or r + 1 in pairs:
            continue
        if whole[r] > part.get(r, 0) + part.get(r + 1, 0):
            pairs[r] = pairs[r + 1] = r
    return pairs
