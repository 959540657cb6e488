"""Large functions cut into pieces: LLVM's time grows faster than a function's size.

A piece is a run of blocks in the order of their addresses, translated to an LLVM function of its own,
``i64 @f_<function>.p<n>(ptr %wave, i64 %at)``. Registers go from piece to piece through the wave's save area, as they
do around calls. A piece that goes on in another one returns that block's address, marked by ELSEWHERE; the function
itself is then nothing but a loop that calls one piece after another.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from softrock.decode.instruction import Kind
from softrock.lift.cfg import BasicBlock, Function

ABOVE = 8000
"""GPU instructions above which a function is cut."""

SIZE = 4000
"""GPU instructions that a piece has at most."""

ELSEWHERE = 2
"""Bit that marks the address of a block in another piece; addresses of code are multiples of four."""

_WINDOW = 3
"""A piece ends somewhere in the last third of its size, where the fewest ways lead across."""

_LOOP = 16
"""A way back weighs as much as this many ways on: a loop that is cut leaves its piece every time round."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a function.

    Attributes:
        number: from 0; the function is entered in piece 0.
        blocks: addresses of its blocks.
        entries: those of its blocks that other pieces go on at, in order.
    """

    number: int
    blocks: frozenset[int]
    entries: tuple[int, ...]


def in_short_blocks(function: Function, size: int) -> Function:
    """The same function, with blocks of at most `size` instructions."""
    blocks: dict[int, BasicBlock] = {}
    for block in function.blocks.values():
        parts = [block.insts[i : i + size] for i in range(0, len(block.insts), size)]
        for part in parts:
            follow = block.successors if part is parts[-1] else [part[-1].end]
            blocks[part[0].address] = BasicBlock(part[0].address, part, follow)
    return replace(function, blocks=blocks)


def cut(function: Function, size: int) -> list[Piece]:
    """Pieces of at most `size` instructions; no block may be longer."""
    # The entry comes first whatever its address is, so that it stands in piece 0.
    order = sorted(function.blocks, key=lambda address: (address != function.entry, address))
    place = {address: i for i, address in enumerate(order)}
    crossing = _crossing([(place[a], place[s]) for a in order for s in function.blocks[a].successors], len(order))
    lengths = [len(function.blocks[address].insts) for address in order]
    pieces: list[frozenset[int]] = []
    first = 0
    while first < len(order):
        last, total = first, 0
        ends: list[int] = []  # where the piece may end: before these blocks
        while last < len(order) and total + lengths[last] <= size:
            total += lengths[last]
            last += 1
            if total * _WINDOW > size * (_WINDOW - 1):
                ends.append(last)
        end = last if last == len(order) or not ends else min(reversed(ends), key=lambda i: crossing[i])
        pieces.append(frozenset(order[first:end]))
        first = end
    home = {address: n for n, piece in enumerate(pieces) for address in piece}
    entered: list[set[int]] = [set() for _ in pieces]
    for address in order:
        for successor in function.blocks[address].successors:
            if home[successor] != home[address]:
                entered[home[successor]].add(successor)
    return [Piece(n, blocks, tuple(sorted(entered[n]))) for n, blocks in enumerate(pieces)]


def _crossing(ways: Iterable[tuple[int, int]], blocks: int) -> list[int]:
    """For each place between blocks (before block i) the weight of the ways that lead across it."""
    steps = [0] * (blocks + 2)
    for origin, target in ways:
        low, high = sorted((origin, target))
        weight = _LOOP if target <= origin else 1
        steps[low + 1] += weight
        steps[high + 1] -= weight
    out, sum_ = [], 0
    for step in steps[: blocks + 1]:
        sum_ += step
        out.append(sum_)
    return out


def scalars(function: Function) -> set[int]:
    """Scalar registers that its instructions name."""
    return {
        r
        for block in function.blocks.values()
        for inst in block.insts
        for part in inst.parts or (inst,)
        for op in (*part.dst, *part.src)
        if op.kind is Kind.SGPR
        for r in range(op.index, op.index + op.dwords)
    }


def driver(name: str, pieces: Iterable[Piece], debug: str) -> str:
    """The function ``i64 @<name>(ptr %wave)`` that runs the pieces, which are named ``<name>.p<n>``.

    Args:
        debug: suffix of calls that says where they stand, e.g. ``, !dbg !12``.
    """
    calls, targets, incoming = [], [], []
    for piece in pieces:
        n = piece.number
        label = f"piece{n}"
        targets += [f"    i64 {address}, label %{label}" for address in piece.entries]
        calls.append(f"{label}:\n  %next{n} = call i64 @{name}.p{n}(ptr %wave, i64 %block){debug}\n  br label %look")
        incoming.append(f"[ %next{n}, %{label} ]")
    newline = "\n"
    return f"""  %first = call i64 @{name}.p0(ptr %wave, i64 0){debug}
  br label %look
look:
  %went = phi i64 [ %first, %0 ], {", ".join(incoming)}
  %tag = and i64 %went, {ELSEWHERE}
  %inside = icmp ne i64 %tag, 0
  br i1 %inside, label %go, label %leave
go:
  %block = and i64 %went, {~ELSEWHERE}
  switch i64 %block, label %never [
{newline.join(targets)}
  ]
{newline.join(calls)}
never:
  unreachable
leave:
  ret i64 %went"""
