"""Which masked writes must keep the inactive lanes of their destination.

A write under EXEC leaves inactive lanes as they were. Merging old and new costs a select for every result, and most
results are temporaries nobody reads in another lane set. The old lanes matter only if the register may be read after
EXEC has gained lanes (or by an operation that looks across lanes) before a later write covers them. Two bit sets per
program point, solved backwards:

* ``use``: registers that may be read before being written, counting a write under the present EXEC as covering;
* ``wide``: registers that may be read after EXEC has gained lanes;
* ``cross``: registers that an operation may read across lanes.

An EXEC write that may turn lanes on adds ``use`` to ``wide``; a narrowing one does not. Where EXEC is as large as it
ever gets (:mod:`softrock.lift.execs`), only ``cross`` counts.
"""

from __future__ import annotations

from collections.abc import Set
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


Sets = tuple[int, int, int]
"""use, wide, cross."""


def solve(
    function: Function, effects: dict[int, Effect], largest: Set[int] = frozenset()
) -> tuple[dict[int, int], dict[int, int]]:
    """For each instruction address: the registers whose inactive lanes a write there must keep; for each block: the
    registers that may be read in it or after it.

    Args:
        largest: addresses where EXEC holds every lane that it will ever hold.
    """
    live: dict[int, Sets] = dict.fromkeys(function.blocks, (0, 0, 0))
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
        sets = _out(function, address, live)
        for inst in reversed(function.blocks[address].insts):
            sets = _step(effects[inst.address], sets)
        if sets != live[address]:
            live[address] = sets
            for p in predecessors[address]:
                if p not in queued:
                    queued.add(p)
                    work.append(p)
    keep: dict[int, int] = {}
    for address, block in function.blocks.items():
        sets = _out(function, address, live)
        for inst in reversed(block.insts):
            keep[inst.address] = sets[2] if inst.address in largest else sets[1] | sets[2]
            sets = _step(effects[inst.address], sets)
    return keep, {address: use | wide | cross for address, (use, wide, cross) in live.items()}


def _out(function: Function, address: int, live: dict[int, Sets]) -> Sets:
    block = function.blocks[address]
    use = wide = cross = 0
    for successor in block.successors:
        sets = live[successor]
        use, wide, cross = use | sets[0], wide | sets[1], cross | sets[2]
    if not block.successors and block.last.op not in END_OPS:
        use = wide = cross = ALL  # returns to code that may read anything
    return use, wide, cross


def _step(e: Effect, sets: Sets) -> Sets:
    use, wide, cross = sets
    if e.widens:
        wide |= use
    return (use & ~e.writes) | e.reads, wide, cross | e.cross
