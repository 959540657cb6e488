"""Where large functions are cut: every block in one piece, none too long, few ways across."""

from __future__ import annotations

import random

import pytest

from softrock.decode.instruction import Instruction
from softrock.lift.cfg import BasicBlock, Function
from softrock.lift.pieces import cut, driver, in_short_blocks


def function(lengths: list[int], ways: dict[int, list[int]] | None = None, entry: int = 0) -> Function:
    """A function of blocks of these lengths; `ways` are successors by block number (default: the next block)."""
    starts = [4 * sum(lengths[:i]) for i in range(len(lengths))]
    blocks = {}
    for i, (start, length) in enumerate(zip(starts, lengths, strict=True)):
        after = [i + 1] if i + 1 < len(lengths) else []
        insts = [Instruction(start + 4 * k, 4, b"", "s_nop", "s_nop", "SOPP") for k in range(length)]
        blocks[start] = BasicBlock(start, insts, [starts[s] for s in (ways or {}).get(i, after)])
    return Function(starts[entry], blocks, {}, set(), False, False)


def test_long_blocks_are_divided() -> None:
    whole = function([10, 3], {0: [0, 1], 1: []})
    short = in_short_blocks(whole, 4)
    assert [len(b.insts) for b in short.blocks.values()] == [4, 4, 2, 3]
    assert [b.successors for b in short.blocks.values()] == [[16], [32], [0, 40], []]
    assert all(address == b.start == b.insts[0].address for address, b in short.blocks.items())
    assert short.instructions == whole.instructions == 13


def test_cuts_avoid_loops() -> None:
    # The first piece could take seven blocks; blocks 6 and 7 are a loop, so it ends before them.
    f = function([10] * 12, {7: [6, 8]})
    first = cut(f, 70)[0]
    assert first.blocks == frozenset(40 * i for i in range(6))


def test_the_entry_stands_in_the_first_piece() -> None:
    f = function([10] * 6, {5: [0]}, entry=5)
    pieces = cut(f, 20)
    assert f.entry in pieces[0].blocks
    assert [p.number for p in pieces] == list(range(len(pieces)))


@pytest.mark.parametrize("seed", range(20))
def test_every_block_is_in_one_piece(seed: int) -> None:
    draw = random.Random(seed)
    n = draw.randint(1, 60)
    ways = {i: draw.sample(range(n), min(n, draw.randint(0, 2))) for i in range(n)}
    f = function([draw.randint(1, 9) for _ in range(n)], ways, draw.randrange(n))
    size = draw.randint(9, 80)
    pieces = cut(f, size)
    assert sorted(a for p in pieces for a in p.blocks) == sorted(f.blocks)
    home = {a: p for p in pieces for a in p.blocks}
    for p in pieces:
        assert sum(len(f.blocks[a].insts) for a in p.blocks) <= size
        from_outside = {s for a in f.blocks for s in f.blocks[a].successors if home[s] is p and home[a] is not p}
        assert set(p.entries) == from_outside
    text = driver("f", pieces, "")
    assert all(text.count(f"i64 {a}, label %piece") == 1 for p in pieces for a in p.entries)
