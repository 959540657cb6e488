"""Barriers that a wave puts off.

Nothing tells whether a wave that only computes in its own registers does so before or after the others have come to a
barrier. A wave may therefore leave a barrier behind, owing it, and go on to where its code next touches anything that
others see; there it waits. What this is for: a wave that gets to its end in this way never waits, since ended waves
count as arrived. Of the waves that take part in a tree reduction, each drops out after its last sum.

A barrier is put off only where some way leads from it to the end of the wave without any effect; other barriers are
waited at where they stand, so that nothing is computed before a wait that would have to be kept across it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from softrock.decode.instruction import Instruction
from softrock.lift.cfg import END_OPS, BasicBlock, Function
from softrock.lift.ir import Builder, Ty
from softrock.lift.registry import Semantic

BARRIERS = frozenset(("s_barrier", "s_barrier_wait"))
"""Operations that wait for the workgroup."""

_COUNT = Ty("u", 32, 0)


@dataclass(frozen=True, slots=True)
class Late:
    """Where a function may owe barriers.

    Attributes:
        barriers: addresses of the barriers that are put off.
        blocks: blocks that may be entered owing some; others are entered after waiting.
    """

    barriers: frozenset[int] = frozenset()
    blocks: frozenset[int] = frozenset()


def silent(inst: Instruction, semantic: Semantic | None) -> bool:
    """Whether an instruction reads and writes nothing but the wave's own registers, or branches within the function."""
    if inst.op == "s_branch" or inst.op.startswith("s_cbranch") or inst.op in END_OPS or inst.format == "VOPD":
        return True
    return semantic is not None and semantic.silent


def find(graph: Function, semantics: Mapping[int, Semantic | None]) -> Late:
    """The barriers of a function that can be put off.

    Args:
        semantics: of each instruction, by its address.
    """
    before: dict[int, list[BasicBlock]] = {}
    through: list[BasicBlock] = []
    barriers: dict[int, list[Instruction]] = {}
    for block in graph.blocks.values():
        quiet = True
        for inst in reversed(block.insts):
            if inst.op in BARRIERS:
                barriers.setdefault(block.start, []).append(inst)
            elif not silent(inst, semantics[inst.address]):
                quiet = False
                break
        if quiet:
            through.append(block)
        for follow in block.successors:
            before.setdefault(follow, []).append(block)
    if not barriers:
        return Late()
    whole = {block.start for block in through}
    leads = {block.start for block in graph.blocks.values() if block.last.op in END_OPS}
    """Blocks whose silent tails lead to the end."""
    work = [start for start in leads if start in whole]
    while work:
        for block in before.get(work.pop(), ()):
            if block.start not in leads:
                leads.add(block.start)
                if block.start in whole:
                    work.append(block.start)
    late = frozenset(inst.address for start in leads for inst in barriers.get(start, ()))
    return Late(late, frozenset(leads & whole)) if late else Late()


def owe(b: Builder, more: bool) -> None:
    """Count a barrier, in `%owed`, as put off. more: others may be owed already."""
    count = b.op(_COUNT, "load i32, ptr %owed, align 4") + 1 if more else b.const("u32", 1)
    b.line(f"store {count.typed}, ptr %owed, align 4")


def wait(b: Builder) -> None:
    """Wait at all barriers that are owed, of which there is one at least."""
    again, on = b.new_block("wait"), b.new_block("waited")
    b.branch(again)
    b.begin(again)
    b.call_void("sr_barrier", "%wave")
    left = b.op(_COUNT, "load i32, ptr %owed, align 4") - 1
    b.line(f"store {left.typed}, ptr %owed, align 4")
    b.cond_branch(left.eq(0), on, again, (100, 1))
    b.begin(on)
