"""Bytes to instructions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from softrock.core.errors import DecodeError
from softrock.decode.instruction import Instruction, Kind, Operand
from softrock.decode.operands import NO_LITERAL, BadOperand
from softrock.decode.plan import Plan
from softrock.decode.variants import layout_name, selector
from softrock.isa import Row, Target, table
from softrock.isa import target as target_of
from softrock.isa.tables import layouts

Buffer = bytes | bytearray | memoryview
WORD_BYTES = 16
"""Longest instruction without literal; longer ones do not exist."""
NO_MODS: Mapping[str, int] = {}
VOPD = (0xFC000000, 0xC8000000)


class Node:
    """A step of the search: a word's bits under `mask` choose the next node or the rows to try."""

    __slots__ = ("children", "mask", "rows")

    def __init__(self, rows: list[Row], used: int) -> None:
        common = rows[0].mask
        for row in rows:
            common &= row.mask
        self.mask = common & ~used
        self.rows = rows
        self.children: dict[int, Node | list[Row]] = {}

    def child(self, key: int, used: int) -> Node | list[Row]:
        """The next step for a word whose bits under the mask are `key`, made when first needed."""
        rows = [row for row in self.rows if not (row.match ^ key) & self.mask]
        next_step: Node | list[Row] = sorted(rows, key=lambda row: -row.mask.bit_count())
        if len(rows) > 4:
            node = Node(rows, used | self.mask)
            if node.mask:
                next_step = node
        self.children[key] = next_step
        return next_step


class Root(Node):
    """The first step looks at the top seven bits of the first dword only, which every encoding fixes or widens."""

    def __init__(self, rows: list[Row]) -> None:
        super().__init__(rows, 0)
        self.mask = 0xFE000000

    def child(self, key: int, used: int) -> Node | list[Row]:
        rows = [row for row in self.rows if not (row.match ^ key) & self.mask & row.mask]
        next_step: Node | list[Row] = Node(rows, 0) if rows else []
        if isinstance(next_step, Node) and not next_step.mask:
            next_step = sorted(rows, key=lambda row: -row.mask.bit_count())
        self.children[key] = next_step
        return next_step


class Decoder:
    """Decodes instructions of one target.

    Args:
        target: the instruction set, with the wave size that lane masks are to have.
    """

    def __init__(self, target: Target) -> None:
        self.target = target
        self.table = table(target.name)
        self.root = Root(self.table.rows)
        self._plans: dict[Row, tuple[int, dict[int, Plan]]] = {}
        self._halves: dict[tuple[str, int], Plan] = {}

    def row(self, word: int, available: int = WORD_BYTES) -> Row | None:
        """The table row of an instruction word, None where there is none of at most `available` bytes."""
        node: Node | list[Row] = self.root
        used = 0
        while isinstance(node, Node):
            key = word & node.mask
            following = node.children.get(key)
            if following is None:
                following = node.child(key, used)
            used |= node.mask
            node = following
        for row in node:
            if word & row.mask == row.match and row.size <= available:
                return row
        return None

    def plan(self, row: Row, word: int) -> Plan:
        """The form of the row that the word picks."""
        found = self._plans.get(row)
        if found is None:
            layout = layouts(self.target.major)[layout_name(row)]
            found = self._plans[row] = (selector(row, layout), {})
        mask, plans = found
        plan = plans.get(word & mask)
        if plan is None:
            plan = plans[word & mask] = Plan(row, self.target, word)
        return plan

    def decode(self, data: Buffer, offset: int = 0, address: int = 0) -> Instruction:
        """The instruction at `offset`, which stands at `address`.

        Raises:
            DecodeError: the bytes are no instruction of the target, or end too early.
        """
        available = len(data) - offset
        if available < 4 or offset < 0:
            raise self._error(data, offset, address, "the bytes end inside an instruction")
        word = int.from_bytes(data[offset : offset + WORD_BYTES], "little")
        row = self.row(word, available)
        if row is None:
            if self.table.dual_x and word & VOPD[0] == VOPD[1]:
                return self._dual(data, offset, address, word)
            why = "there is no such instruction"
            if available < WORD_BYTES and self.row(word):
                why = "the bytes end inside an instruction"
            raise self._error(data, offset, address, why)
        plan = self.plan(row, word)
        size = plan.size
        if size > available:
            raise self._error(data, offset, address, "the bytes end inside an instruction")
        literal: int | None = NO_LITERAL
        if plan.may_have_literal:
            if plan.has_imm:
                literal = word >> 32 & 0xFFFFFFFF
            else:
                literal = word >> 8 * size & 0xFFFFFFFF if available >= size + 4 else None
        try:
            dst = [r.cache.get(word & r.mask) or r.build(word, literal) for r in plan.dst]
            src = [r.cache.get(word & r.mask) or r.build(word, literal) for r in plan.src]
            mods = NO_MODS
            if plan.shown:
                found = plan.mod_cache.get(word & plan.mod_mask)
                mods = plan.mods(word) if found is None else found
        except BadOperand as problem:
            raise self._error(data, offset, address, str(problem)) from None
        if plan.may_have_literal and not plan.has_imm:
            for operand in src:
                if operand.kind is Kind.LITERAL:
                    size += 4
                    break
        if plan.has_label:
            src.append(_label(word, address))
        return Instruction(
            address, size, bytes(data[offset : offset + size]), plan.mnemonic, plan.op, plan.format, tuple(dst),
            tuple(src), mods,
        )

    def _dual(self, data: Buffer, offset: int, address: int, word: int) -> Instruction:
        available = len(data) - offset
        literal = word >> 64 & 0xFFFFFFFF if available >= 12 else None
        plans = (self._half("X", word >> 22 & 15), self._half("Y", word >> 17 & 31))
        if available < 8 or None in plans:
            raise self._error(data, offset, address, "there is no such instruction")
        parts: list[tuple[Plan, list[Operand], list[Operand]]] = []
        try:
            for plan in plans:
                assert plan is not None
                parts.append((plan, [r.build(word, literal) for r in plan.dst],
                              [_dual_source(r.spec.role, r, word, literal) for r in plan.src]))
        except BadOperand as problem:
            raise self._error(data, offset, address, str(problem)) from None
        has_literal = any(o.kind is Kind.LITERAL for _, _, src in parts for o in src)
        size = 12 if has_literal else 8
        raw = bytes(data[offset : offset + size])
        halves = tuple(
            Instruction(address, size, raw, plan.mnemonic, plan.op, "VOPD", tuple(dst), tuple(src), NO_MODS)
            for plan, dst, src in parts
        )
        name = " :: ".join(half.mnemonic for half in halves)
        return Instruction(address, size, raw, name, "v_dual", "VOPD", parts=halves)

    def _half(self, side: str, opcode: int) -> Plan | None:
        rows = self.table.dual_x if side == "X" else self.table.dual_y
        if opcode not in rows:
            return None
        key = (side, opcode)
        if key not in self._halves:
            self._halves[key] = Plan(rows[opcode], self.target, 0, dual=side)
        return self._halves[key]

    def _error(self, data: Buffer, offset: int, address: int, why: str) -> DecodeError:
        found = bytes(data[max(offset, 0) : max(offset, 0) + 8]).hex(" ", 4) or "none"
        return DecodeError(f"cannot decode {self.target.name} instruction at {address:#x} (bytes {found}): {why}")


def _dual_source(role: str, reader: Any, word: int, literal: int | None) -> Operand:
    if role == "imm":
        if literal is None:
            raise BadOperand("its literal constant is cut off")
        return Operand("imm", Kind.LITERAL, value=literal)
    found: Operand = reader.build(word, literal)
    return found


def _label(word: int, address: int) -> Operand:
    distance = word & 0xFFFF
    if distance & 0x8000:
        distance -= 0x10000
    return Operand("target", Kind.LABEL, value=address + 4 + 4 * distance)


@cache
def decoder(target: Target) -> Decoder:
    """The decoder of a target; made once."""
    return Decoder(target)


def decode(target: Target | str, data: Buffer, offset: int = 0, address: int = 0) -> Instruction:
    """Decode one instruction.

    Args:
        target: the instruction set, or its name. Lane masks get the width of ``target.wave_size``.
        data: code bytes.
        offset: where in `data` the instruction starts, in bytes.
        address: the instruction's own address; branch targets are relative to it.

    Raises:
        DecodeError: the bytes are no instruction of the target, or end too early.
        UsageError: there is no such target.
    """
    if isinstance(target, str):
        target = target_of(target)
    return decoder(target).decode(data, offset, address)


def decode_range(
    target: Target | str, data: Buffer, start: int, end: int, base_address: int = 0
) -> Iterator[Instruction]:
    """Decode instructions from offset `start` up to offset `end` of `data`, one after another.

    Args:
        target: the instruction set, or its name.
        data: code bytes.
        start, end: offsets in `data`, in bytes.
        base_address: the address of ``data[0]``.

    Raises:
        DecodeError: as :func:`decode`; also where the last instruction crosses `end`.
    """
    if isinstance(target, str):
        target = target_of(target)
    work = decoder(target)
    code = bytes(data[:end])
    offset = start
    while offset < end:
        instruction = work.decode(code, offset, base_address + offset)
        offset += instruction.size
        yield instruction
