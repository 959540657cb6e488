"""Stores that may go around the host's caches.

A launch that writes more than the last cache holds gains nothing from having its results in it, and pays for reading
each line before it overwrites it. Whole lines are then written with the host's non-temporal stores, which do without
both. The host does not keep these in order with what follows until the launch ends, so a store may be one only if
nothing behind it can tell anybody that it has happened, and only outside loops: what is written again and again is
best kept close.
"""

from __future__ import annotations

from collections.abc import Mapping

from softrock.decode.instruction import Instruction
from softrock.lift.cfg import END_OPS, Function, in_loop
from softrock.lift.registry import Semantic

LINE = 64
"""Bytes of a host cache line; only whole ones are written around the caches."""

_MOST_BLOCKS = 500
"""Functions of more blocks are not looked at."""

_COHERENT = ("glc", "sc0", "sc1", "scc", "dlc", "scope")
_VECTOR_MEMORY = frozenset(("FLAT", "GLOBAL", "MUBUF", "MTBUF"))
_SCALAR_LOADS = ("s_load_", "s_buffer_load_")
_CACHE_OPS = ("buffer_wb", "buffer_inv", "buffer_gl", "global_wb", "global_inv", "s_gl1_inv", "s_dcache_wb")

_NOTHING, _STORE, _SIGNAL = range(3)
"""What may follow a place: no store to memory; some, but nobody has waited for those before them; anything else."""


def _plain(inst: Instruction) -> bool:
    return not any(inst.mod(m) for m in _COHERENT)


def _is_store(inst: Instruction) -> bool:
    return inst.format in _VECTOR_MEMORY and "_store_" in inst.op and _plain(inst)


def _waits(inst: Instruction, major: int) -> bool:
    """Whether what follows may rely on stores before: waits for them, and what writes caches back or empties them."""
    if inst.op.startswith(_CACHE_OPS):
        return True
    if major <= 9:
        return inst.op.startswith("s_waitcnt")
    return inst.op in ("s_waitcnt_vscnt", "s_wait_idle") or inst.op.startswith("s_wait_storecnt")


def _before(inst: Instruction, semantic: Semantic | None, after: int, major: int) -> int:
    """What may follow the place before an instruction."""
    op = inst.op
    if op in END_OPS:
        return _NOTHING
    if op == "s_branch" or op.startswith("s_cbranch") or inst.parts:
        return after
    if _waits(inst, major):
        return _SIGNAL if after != _NOTHING else _NOTHING
    if inst.format in _VECTOR_MEMORY:
        if _is_store(inst):
            return max(after, _STORE)
        return after if "_load_" in op and _plain(inst) else _SIGNAL
    if op.startswith("ds_"):
        # LDS and the order of what one workgroup does belong to one host thread.
        return _SIGNAL if "gws" in op else after
    if op.startswith(_SCALAR_LOADS) or op.startswith("scratch_"):
        return after
    quiet = semantic is not None and semantic.silent and not op.startswith("s_barrier")
    return after if quiet else _SIGNAL


def find(graph: Function, semantics: Mapping[int, Semantic | None], major: int) -> frozenset[int]:
    """Addresses of the stores of a kernel that may go around the caches.

    Args:
        semantics: of each instruction, by its address. major: the target's ISA, 9 for all of CDNA.
    """
    blocks = graph.blocks
    if graph.calls or graph.indirect or graph.returns or len(blocks) > _MOST_BLOCKS:
        return frozenset()
    entered = dict.fromkeys(blocks, _NOTHING)
    changed = True
    found: set[int] = set()
    while changed:
        changed = False
        found = set()
        for start in sorted(blocks, reverse=True):
            block = blocks[start]
            state = max((entered[s] for s in block.successors), default=_NOTHING)
            for inst in reversed(block.insts):
                if state != _SIGNAL and _is_store(inst):
                    found.add(inst.address)
                state = _before(inst, semantics[inst.address], state, major)
            changed |= state != entered[start]
            entered[start] = state
    for block in blocks.values():
        inside = found.intersection(inst.address for inst in block.insts)
        if inside and in_loop(blocks, block.start):
            found -= inside
    return frozenset(found)
