"""Loops that may wait for another wave, and how often they let the workgroup's other waves run."""

from __future__ import annotations

from softrock.decode.instruction import Instruction
from softrock.lift.cfg import Function

WAITING_TURNS = 16
"""A loop that looks at what other waves write lets them run this often."""

COUNTING_TURNS = 4096
"""A loop whose atomics give nothing back lets other waves run this often."""

_COHERENT = ("glc", "sc0", "sc1", "dlc")
_EXCHANGES = ("ds_cmpst", "ds_cmpstore", "ds_storexchg", "ds_wrxchg")


def watched(inst: Instruction) -> tuple[int, int]:
    """The instruction's address, and how often a loop with it yields (0: not for its sake)."""
    name = inst.op
    if "atomic" in name or name.startswith(_EXCHANGES):
        return inst.address, WAITING_TURNS if inst.dst else COUNTING_TURNS
    coherent = "_load_" in name and not name.startswith("s_") and any(inst.mod(m) for m in _COHERENT)
    return inst.address, WAITING_TURNS if coherent else 0


def find(graph: Function) -> dict[tuple[int, int], int]:
    """Back edges (from the address of a branch to a block) of loops that may wait for another wave, and how many turns
    apart they yield.

    A loop waits on what an atomic or a coherent load gives back; one whose atomics give nothing back hardly ever does,
    but may still watch memory by plain loads.
    """
    waits = {a: n for b in graph.blocks.values() for a, n in map(watched, b.insts) if n}
    edges: dict[tuple[int, int], int] = {}
    for block in graph.blocks.values():
        last = block.last.address
        for target in block.successors:
            turns = [n for a, n in waits.items() if target <= a <= last] if target <= last else []
            if turns:
                edges[(last, target)] = min(turns)
    return edges
