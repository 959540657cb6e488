"""Which masked writes must keep the inactive lanes of their destination.

A write under EXEC leaves inactive lanes as they were. Merging old and new costs a select for every result, and most
results are temporaries nobody reads in another lane set. The old lanes matter only if the register may be read after
EXEC has gained lanes (or by an operation that looks across lanes) before a later write covers them. Two bit sets per
program point, solved backwards:

* ``use``: registers that may be read before being written, counting a write under the present EXEC as covering;
* ``wide``: registers that may be read after EXEC has gained lanes.

An EXEC write that may turn lanes on adds ``use`` to ``wide``; a narrowing one does not.
"""

from __future__ import annotations

from dataclasses import dataclass

from softrock.decode.instruction import Instruction, Kind, Operand
from softrock.lift.cfg import END_OPS, Function, narrows_exec, writes_exec
from softrock.lift.registry import Semantic

ALL = (1 << 512) - 1


@dataclass(frozen=True, slots=True)
class Effect:
    """Vector registers (bit sets) an instruction reads, writes whole, and reads across lanes; and what it does to
    EXEC."""

    reads: int
    writes: int
    cross: int
    widens: bool


def _bits(op: Operand) -> int:
    if op.kind is Kind.VGPR:
        return ((1 << op.dwords) - 1) << op.index
    if op.kind is Kind.AGPR:
        return ((1 << op.dwords) - 1) << (op.index + 256)
    return 0


def effect(inst: Instruction, semantic: Semantic | None) -> Effect:
    """The effect of one instruction on vector registers and EXEC."""
    if inst.parts:
        from softrock.lift.registry import lookup

        both = [effect(p, lookup(p.op)) for p in inst.parts]
        return Effect(both[0].reads | both[1].reads, both[0].writes | both[1].writes, 0, False)
    reads = writes = 0
    for op in inst.src:
        reads |= _bits(op)
    partial = False
    for op in inst.dst:
        writes |= _bits(op)
        partial = partial or op.half is not None
    mods = inst.mods
    if semantic is not None:
        partial = partial or semantic.reads_dst
        for token in semantic.outs:
            partial = partial or token.elem[-2:] == "16"
    if partial or "dpp_ctrl" in mods or "dpp8" in mods or "dst_sel" in mods:
        reads |= writes
    if inst.op.startswith(("v_movrel", "s_set_gpr_idx_on")):
        reads = ALL  # any register may be the one named by the index
        writes = 0
    cross = 0
    if (semantic is not None and semantic.cross_lane) or "dpp_ctrl" in mods or "dpp8" in mods:
        cross = reads
    if inst.op in ("s_swappc_b64", "s_call_b64", "s_setpc_b64"):
        return Effect(ALL, 0, ALL, False)
    widens = writes_exec(inst) and not narrows_exec(inst)
    return Effect(reads, writes, cross, widens)


def solve(function: Function, effects: dict[int, Effect]) -> dict[int, int]:
    """For each instruction address: the registers whose inactive lanes a write there must keep."""
    use_in: dict[int, int] = dict.fromkeys(function.blocks, 0)
    wide_in: dict[int, int] = dict.fromkeys(function.blocks, 0)
    predecessors: dict[int, list[int]] = {a: [] for a in function.blocks}
    for address, block in function.blocks.items():
        for successor in block.successors:
            predecessors[successor].append(address)
    work = sorted(function.blocks, reverse=True)
    queued = set(work)
    work.reverse()
    while work:
        address = work.pop()
        queued.discard(address)
        use, wide = _out(function, address, use_in, wide_in)
        for inst in reversed(function.blocks[address].insts):
            use, wide = _step(effects[inst.address], use, wide)
        if use != use_in[address] or wide != wide_in[address]:
            use_in[address], wide_in[address] = use, wide
            for p in predecessors[address]:
                if p not in queued:
                    queued.add(p)
                    work.append(p)
    keep: dict[int, int] = {}
    for address, block in function.blocks.items():
        use, wide = _out(function, address, use_in, wide_in)
        for inst in reversed(block.insts):
            keep[inst.address] = wide
            use, wide = _step(effects[inst.address], use, wide)
    return keep


def _out(
    function: Function, address: int, use_in: dict[int, int], wide_in: dict[int, int]
) -> tuple[int, int]:
    block = function.blocks[address]
    use = wide = 0
    for successor in block.successors:
        use |= use_in[successor]
        wide |= wide_in[successor]
    if not block.successors and block.last.op not in END_OPS:
        use = wide = ALL  # returns to code that may read anything
    return use, wide


def _step(e: Effect, use: int, wide: int) -> tuple[int, int]:
    if e.widens:
        wide |= use
    use = (use & ~e.writes) | e.reads
    wide |= e.cross
    return use, wide
