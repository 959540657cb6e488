"""Loads that ask for what a later workgroup will load.

A wave's load of 16 bytes a lane is a burst: whole cache lines that the host's processor begins to fetch when the wave
gets there, and has to wait for. Workgroups mostly stand side by side in memory, and a worker runs them in order; so
where such a load runs once a wave, it also asks for what the same wave of a workgroup soon after would then load. Where
workgroups stand otherwise that is of no use, and harms nothing but what else the memory could do. Narrower loads come
close enough together for the processor itself to see ahead.
"""

from __future__ import annotations

from softrock.lift import cfg, lines
from softrock.lift.context import Wave
from softrock.lift.lines import Address
from softrock.lift.streams import LINE

SIZE = 16
"""Bytes a lane."""

GROUPS = 3
"""How many workgroups later."""


def find(graph: cfg.Function) -> frozenset[int]:
    """Addresses of the loads that run once a call at most."""
    blocks = graph.blocks
    found = {b.start: [i.address for i in b.insts if i.op.endswith("_load_b128")] for b in blocks.values()}
    return frozenset(a for start, loads in found.items() if loads and not cfg.in_loop(blocks, start) for a in loads)


def fetch(x: Wave, where: Address, size: int) -> None:
    """Ask for what a load from `where` will be followed by, if it is one of these."""
    if size != SIZE or not x.full or x.inst is None or x.inst.address not in x.ahead:
        return
    known = lines.of(x, where)
    if known is None or known.pitch is not None or known.stride != size:
        return
    x.b.declare("llvm.prefetch.p0", "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
    start = known.start + x.field("num_waves", "u32").to("u64") * (GROUPS * x.W * size)
    for place in range(0, x.W * size, LINE):
        x.b.line(f"call void @llvm.prefetch.p0(ptr {x.b.ptr(start + place)}, i32 0, i32 2, i32 1)")
