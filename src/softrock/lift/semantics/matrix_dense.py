"""Dense products, with what neighbouring matrix instructions have in common done once. Registers nothing.

Kernels keep a grid of accumulators and feed each row and column of it with one operand, step by step of k. So within a
block an operand is widened and laid out once for all instructions that use it. And the products that go into one
accumulator one after the other, with nobody looking at what is between, are added by one call, through which the
accumulator stays in host registers: the sums are the same, in the same order. (The earlier instruction's call moves
down to the later one's place: an operand's array is not written anew while it may.)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from softrock.decode.instruction import Kind, Operand
from softrock.lift.context import Wave
from softrock.lift.ir import Block, Ty, Val
from softrock.lift.regs import Bank
from softrock.lift.semantics.matrix_tile import PART, Tile, Where, accumulate, add_products, place

ARRAYS = 24
"""Operands that are held at a time."""

RUN = 16
"""Products that one call adds at most."""

_REF = re.compile(r"%[\w.]+")


class _Sum(NamedTuple):
    """A call that may yet be moved: the lines that it is, and what it computes."""

    lines: list[tuple[Block, int]]
    tile: Tile
    products: list[tuple[str, str]]
    slots: frozenset[str]


@dataclass
class _Cache:
    """What is known in the present block."""

    blocks: list[Block]
    staged: dict[Hashable, str] = field(default_factory=dict)
    made: int = 0
    sums: dict[tuple[int, int], _Sum] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    block: int = 0
    line: int = 0

    def scan(self) -> None:
        """Note every value that the code emitted since the last call uses."""
        while True:
            lines = self.blocks[self.block].lines
            for line in lines[self.line :]:
                if not isinstance(line, str):
                    continue  # what is still to be filled in stands at blocks' ends
                head, _, tail = line.partition(" = ")
                self.used.update(_REF.findall(tail or head))
            self.line = len(lines)
            if self.block + 1 >= len(self.blocks):
                return
            self.block, self.line = self.block + 1, 0


def _cache(x: Wave) -> _Cache:
    """What is known at this place of the block under translation (each has its own list of LLVM blocks)."""
    cache = x.matrix_arrays
    if not isinstance(cache, _Cache) or cache.blocks is not x.b.blocks:
        cache = x.matrix_arrays = _Cache(x.b.blocks, block=len(x.b.blocks) - 1, line=len(x.b.blocks[-1].lines))
    return cache


# -- operands --------------------------------------------------------------------------------------


def staged(x: Wave, words: Sequence[Val], how: Hashable, size: int, fill: Callable[[str], None]) -> str:
    """The array that holds an operand.

    Args:
        words: its dwords. how: whatever else the array's content depends on.
        size: of the array in bytes. fill: ``fill(array)`` stores the elements there.
    """
    cache = _cache(x)
    known = all(word.ref.startswith("%") for word in words)
    key = (how, *(word.ref for word in words))
    if known and key in cache.staged:
        return cache.staged[key]
    array = f"matrix_{cache.made % ARRAYS}"
    cache.made += 1
    cache.staged = {k: name for k, name in cache.staged.items() if name != array}
    cache.sums = {k: s for k, s in cache.sums.items() if all(array not in pair for pair in s.products)}
    x.array(array, size)
    fill(array)
    if known:
        cache.staged[key] = array
    return array


def store_pairs(x: Wave, array: str, values: Sequence[Val], where: Where, stride: int) -> None:
    """Store an operand's elements as rows of two k each, the two elements of a place side by side.

    Args:
        values: for each dword of the operand its two elements of every lane, side by side.
        where: as for `store_rows`; elements 2n and 2n + 1 stand in neighbouring k, the lower one even.
        stride: places of a row.
    """
    size = values[0].bits // 8
    for n, value in enumerate(values):
        for lane in range(0, value.lanes // 2, PART):
            slot = where(2 * n, lane)
            if slot is not None:
                k, start = slot
                piece = value.shuffle(range(2 * lane, 2 * (lane + PART))) if value.lanes > 2 * PART else value
                x.b.store(piece, place(x, array, (k * stride + 2 * start) * size), 64)


def halves(x: Wave, word: Val, form: str) -> Val:
    """The two f16 or bf16 elements of every lane side by side, widened."""
    raw = x.b.op(Ty("u", 16, 2 * word.lanes), f"bitcast {word.typed} to <{2 * word.lanes} x i16>")
    value = raw.bits_as("f16").to("f32") if form == "f16" else (raw.to("u32") << 16).bits_as("f32")
    if x.target.family == "cdna2":
        least = 2.0**-14 if form == "f16" else 2.0**-126
        value = value.fabs().lt(least).select(0.0, value)
    return value


# -- sums ------------------------------------------------------------------------------------------


def add_product(x: Wave, tile: Tile, a: str, b: str, addend: Operand, result: Operand) -> None:
    """D = C + A * B in f32, the sums in the slots of D's registers.

    Args:
        a, b: names of the operands' arrays. addend: C. result: D.
    """
    bank, first = x.regs.vector, x.bank_index(result)
    registers = range(first, first + len(tile.parts))
    if any(r in bank.paired for r in registers):
        start = [word.bits_as("f32") for word in x.read_words(addend, len(registers))]
        x.write_words_unmasked(result, [v.bits_as("u32") for v in accumulate(x, tile, start, (a, b))])
        return
    cache = _cache(x)
    cache.scan()
    own = addend.kind in (Kind.VGPR, Kind.AGPR) and x.bank_index(addend) == first
    old = cache.sums.pop((first, len(registers)), None)
    products = [(a, b)]
    if own and all(_stored(bank, r) for r in registers):
        if old is not None and old.tile == tile and len(old.products) < RUN and old.slots.isdisjoint(cache.used):
            for block, line in old.lines:
                block.lines[line] = ""
            products = [*old.products, (a, b)]
    else:
        start = x.read_words(addend, len(registers))
        for r, value in zip(registers, start, strict=True):
            bank.store_vector(r, value)
    for r in registers:  # from here on the slots alone hold them
        bank.write(r, x.const("u32", 0))
        del bank.words[r]
        bank.dirty.discard(r)
    slots = [f"%{bank.prefix}{r}" for r in registers]
    lines = x.b.block.lines
    before = len(lines)
    add_products(x, tile, products, slots, x.W)
    cache.scan()
    cache.used.difference_update(slots)
    call = [(x.b.block, n) for n in range(before, len(lines))]
    cache.sums = {k: s for k, s in cache.sums.items() if s.slots.isdisjoint(slots)}
    cache.sums[first, len(registers)] = _Sum(call, tile, products, frozenset(slots))


def _stored(bank: Bank, r: int) -> bool:
    """Whether a register's own slot is sure to hold its value."""
    return r not in bank.dirty and (r in bank.gone or (r not in bank.entry and r - 1 not in bank.entry))
