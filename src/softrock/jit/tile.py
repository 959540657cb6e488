"""Vector code chunk by chunk.

A value of a wave takes several of the host's registers, and LLVM emits an operation on all of them before the next
operation: no intermediate result survives in a register. Here each block's lane-wise operations are cut into chunks of
the host's register width, and whole chains of them are emitted chunk by chunk. Values that leave the chain are joined
again by shufflevectors, which cost nothing: LLVM keeps the parts of a wide vector as separate registers anyway.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from softrock.jit.host import host
from softrock.jit.tile_order import Masks, by_demand, chunk_lanes, group_of, set_levels, sink, widths
from softrock.jit.tile_parse import BITS, NAMES, TERMINATORS, Op, parse

_INSERT = re.compile(r"  (%\S+) = insertelement <\d+ x ([a-z0-9]+)> poison, [a-z0-9]+ (\S+), i(?:32|64) 0(?:, !.*)?")
_UNMASK = re.compile(r"  (%\S+) = bitcast i(\d+) (%\S+) to <\2 x i1>")
_LITERAL = re.compile("\1(\\d+),(\\d+)\2")
_DECLARE = re.compile(r"declare .*@(llvm\.[\w.]+)\(")


@dataclass(frozen=True, slots=True)
class Registers:
    """The host's vector registers.

    Attributes:
        bits: of one. count: how many. masks: lane masks have registers of their own.
        fma: a fused multiply-add is an instruction, not a call, over which nothing stays in a register.
    """

    bits: int
    count: int
    masks: bool
    fma: bool = True


class _Function:
    """Names that hold for a whole function, and the text under construction."""

    def __init__(self, lines: Sequence[str], lanes: int, registers: Registers, declares: set[str]) -> None:
        self.lines = lines
        self.lanes = lanes
        self.registers = registers
        self.declares = declares
        self.number = 0
        self.uses = Counter(NAMES.findall("\n".join(lines)))
        self.inserted: dict[str, tuple[str, str]] = {}
        self.splats: dict[str, Op] = {}
        self.unmasked: dict[str, str] = {}
        wide = f"<{lanes} x "
        for line in lines:
            if " = insertelement " in line:
                found = _INSERT.match(line)
                if found is not None:
                    self.inserted[found[1]] = (found[2], found[3])
            elif " = shufflevector " in line and wide[:-2] in line:
                op = parse(line, str(lanes))
                if op.form == "splat":
                    self.splats[op.name] = op
            elif " = bitcast i" in line:
                unmask = _UNMASK.match(line)
                if unmask is not None and int(unmask[2]) == lanes:
                    self.unmasked[unmask[1]] = unmask[3]

    def fresh(self) -> str:
        self.number += 1
        return f"%${self.number}"

    def text(self) -> list[str]:
        out: list[str] = []
        block: list[str] = []
        ending = False
        for line in self.lines:
            if not ending:
                ending = line[:2] != "  " or line[2:].partition(" ")[0] in TERMINATORS
            if not ending:
                block.append(line)
                continue
            if block:
                out += _block(self, block)
                block = []
            out.append(line)
            if line[:1] not in (" ", ""):
                ending = False
        return out


def _block(function: _Function, lines: list[str]) -> list[str]:
    """A block's instructions without its terminator, tiled where that pays."""
    wide = f"<{function.lanes} x "
    if sum(wide in line for line in lines) < 3:
        return lines
    start = 0
    while start < len(lines) and " = phi " in lines[start]:
        start += 1
    lanes = str(function.lanes)
    ops = [parse(line, lanes) for line in lines[start:]]
    masks = Masks()
    set_levels(ops, masks, lanes)
    sink(ops, function.uses)
    phases: dict[int, tuple[list[Op], list[Op]]] = {}
    for op in ops:
        phases.setdefault(op.level, ([], []))[op.kind == "T"].append(op)
    width = widths(function.lanes, function.registers.bits, function.registers.masks)
    chosen: dict[int, int] = {}
    for level, (_, wise) in phases.items():
        if not function.registers.fma and any(op.form == "call" and "@llvm.fma." in op.parts[0] for op in wise):
            continue
        group = group_of(wise, width, function.registers.count, _crossing(function, wise)) if wise else 0
        if group:
            chosen[level] = group
    if chosen:
        # Masks whose lanes come straight from vectors may stand before the integers that they are written with.
        for op in ops:
            if op.form == "unmask" and op.uses != [op.operands[0][0]]:
                chosen.setdefault(op.level, 1)
    if not chosen:
        return lines
    block = _Block(function, masks, ops, chosen)
    out = lines[:start]
    for level in sorted(phases):
        others, wise = phases[level]
        for op in others:
            out.append(block.other(op))
        if level in chosen:
            out += block.phase(wise, chosen[level])
        else:
            out += [op.line for op in wise]
    return out


def _crossing(function: _Function, phase: Sequence[Op]) -> int:
    """Lane masks that a phase takes from elsewhere or gives to elsewhere, on hosts where that costs instructions."""
    if function.registers.masks:
        return 0
    made = {op.name for op in phase}
    inner = Counter(operand for op in phase for operand, _ in op.operands)
    outside = {
        operand
        for op in phase
        for operand, elem in op.operands
        if elem == "i1" and operand[0] == "%" and operand not in made and operand not in function.unmasked
    }
    return len(outside) + sum(op.elem == "i1" and function.uses[op.name] - 1 > inner[op.name] for op in phase)


class _Block:
    """The emission of one block."""

    def __init__(self, function: _Function, masks: Masks, ops: Sequence[Op], chosen: Mapping[int, int]) -> None:
        self.function = function
        self.masks = masks
        self.chunked: dict[tuple[str, int], str] = {}
        """(value, lanes of a chunk) → name of its chunks, with a zero byte for the chunk's number."""
        self.sizes = {
            level: chunk_lanes(self._phase(ops, level), function.lanes, function.registers.bits) for level in chosen
        }
        self.size_of = {op.name: self.sizes[op.level] for op in ops if op.kind == "T" and op.level in chosen}
        self.packed_later: Counter[str] = Counter()
        self.inner: Counter[str] = Counter()
        self.whole: set[str] = set()
        """Values that must be joined, however they are used in the text."""
        for op in ops:
            if op.kind == "T" and op.level in chosen:
                needed = op.uses if op.form == "unmask" else []
                for operand, _ in op.operands:
                    if operand in function.unmasked:
                        needed = [*needed, *masks.leaves(function.unmasked[operand])]
                self.whole.update(each for each in needed if self.size_of.get(each) not in (None, self.sizes[op.level]))
                if op.form != "splat":
                    size = self.sizes[op.level]
                    self.inner.update(operand for operand, _ in op.operands if self.size_of.get(operand, size) == size)
            elif op.kind == "P":
                source = masks.packed(op.name)
                if source is not None:
                    self.packed_later[source] += 1
        self.size = 0
        self.literals: list[list[str]] = []
        self.before: list[str] = []
        self.body: list[str] = []
        self.shared: dict[str, str] = {}
        self.local: dict[str, str] = {}

    @staticmethod
    def _phase(ops: Sequence[Op], level: int) -> list[Op]:
        return [op for op in ops if op.kind == "T" and op.level == level]

    def other(self, op: Op) -> str:
        """An instruction that is not lane-wise. Packing a mask that exists in chunks goes chunk by chunk."""
        source = self.masks.packed(op.name)
        if source is None:
            return op.line
        lanes = self.function.lanes
        size = self.size_of.get(source, 0)
        chunk = self.chunked.get((source, size))
        if chunk is None:
            return op.line
        out: list[str] = []
        total = ""
        for at in range(0, lanes, size):
            bits, wide = self.function.fresh(), self.function.fresh()
            out.append(f"  {bits} = bitcast <{size} x i1> {chunk.replace(chr(0), str(at // size))} to i{size}")
            out.append(f"  {wide} = zext i{size} {bits} to i{lanes}")
            if at:
                moved = self.function.fresh()
                joined = op.name if at == lanes - size else self.function.fresh()
                out.append(f"  {moved} = shl i{lanes} {wide}, {at}")
                out.append(f"  {joined} = or disjoint i{lanes} {total}, {moved}")
                wide = joined
            total = wide
        return "\n".join(out)

    def phase(self, ops: Sequence[Op], group: int) -> list[str]:
        """One phase, chunk by chunk."""
        lanes = self.function.lanes
        self.size = self.sizes[ops[0].level]
        self.literals, self.before, self.body, self.shared, self.local = [], [], [], {}, {}
        values: list[tuple[Op, str]] = []
        kept: list[str] = []
        for op in by_demand(ops):
            if op.form == "splat":
                if self.function.uses[op.name] - 1 > self.inner[op.name]:
                    kept.append(op.line)
                continue
            name = self._lanewise(op)
            self.chunked[op.name, self.size] = name
            values.append((op, name))
        out = self.before
        chunks = lanes // self.size
        group = min(group, chunks)
        # Chunks that go side by side take turns, line after line.
        marks = [chr(0x10 + k) for k in range(group)]
        template = "\n".join(line.replace("\0", mark) for line in self.body for mark in marks)
        for first in range(0, chunks, group):
            text = template
            for at, mark in enumerate(marks, first):
                text = text.replace(mark, str(at))
            if self.literals:
                text = _LITERAL.sub(self._filled, text)
            out.append(text)
        out += kept
        for op, name in values:
            elsewhere = self.function.uses[op.name] - 1 - self.inner[op.name] - self.packed_later[op.name]
            if elsewhere > 0 or op.name in self.whole:
                out += self._join(op, name)
        return out

    def _literal(self, values: list[str]) -> str:
        self.literals.append(values)
        return f"\1{len(self.literals) - 1},\0\2"

    def _filled(self, found: re.Match[str]) -> str:
        return self.literals[int(found[1])][int(found[2])]

    def _lanewise(self, op: Op) -> str:
        """Put one operation into the chunk's template; gives the name of its result."""
        lanes, size = self.function.lanes, self.size
        if op.form == "unmask":
            return self._lanes_of(op.operands[0][0])
        result = self.function.fresh() + ".\0"
        if op.form in ("load", "invariant"):
            pointer, step = self.function.fresh() + ".\0", size * BITS[op.elem] // 8
            offsets = self._literal([str(at * step) for at in range(lanes // size)])
            self.body.append(f"  {pointer} = getelementptr i8, ptr {op.operands[0][0]}, i64 {offsets}")
            align = min(int(op.parts[1]), step)
            self.body.append(f"  {result} = load <{size} x {op.elem}>, ptr {pointer}, align {align}{op.tail}")
            return result
        shown = [self._operand(operand, elem) for operand, elem in op.operands]
        wide, narrow = f"<{lanes} x ", f"<{size} x "
        text = "".join(
            a + b for a, b in zip([part.replace(wide, narrow) for part in op.parts], [*shown, ""], strict=True)
        )
        if op.form == "call":
            text = text.replace(f".v{lanes}", f".v{size}")
            self._declare(op, text)
        self.body.append(f"  {result} = {text}{op.tail}")
        return result

    def _declare(self, op: Op, text: str) -> None:
        """Note the declaration that a narrower intrinsic needs."""
        at = text.index("@llvm.")
        name = text[at : text.index("(", at)]
        if name in self.function.declares:
            return
        self.function.declares.add(name)
        types = [each.partition("> ")[0] + ">" if each[0] == "<" else each.partition(" ")[0] for each in _arguments(op)]
        shown = ", ".join(each.replace(f"<{self.function.lanes} x", f"<{self.size} x") for each in types)
        self.function.declares.add(f"declare <{self.size} x {op.elem}> {name}({shown})")

    def _operand(self, operand: str, elem: str) -> str:
        lanes, size = self.function.lanes, self.size
        if not elem or operand[0] not in "%<":
            return operand
        if operand[0] == "<":
            items = operand[1:-1].split(", ")
            return self._literal([f"<{', '.join(items[at : at + size])}>" for at in range(0, lanes, size)])
        found = self.chunked.get((operand, size)) or self.shared.get(operand) or self.local.get(operand)
        if found is not None:
            return found
        splat = self.function.splats.get(operand)
        if splat is not None:
            return self._splat(splat)
        mask = self.function.unmasked.get(operand)
        if mask is not None:
            return self._lanes_of(mask)
        name = self.function.fresh() + ".\0"
        index = [f"<{', '.join(f'i32 {k}' for k in range(at, at + size))}>" for at in range(0, lanes, size)]
        wide = f"<{lanes} x {elem}>"
        self.body.append(
            f"  {name} = shufflevector {wide} {operand}, {wide} poison, <{size} x i32> {self._literal(index)}"
        )
        self.local[operand] = name
        return name

    def _splat(self, op: Op) -> str:
        """One lane of some vector, or a scalar, in all lanes: the same for every chunk."""
        source, size, elem = op.operands[0][0], self.size, op.elem
        name = self.function.fresh()
        inserted = self.function.inserted.get(source)
        if inserted is not None and op.parts[1] == "0":
            one = self.function.fresh()
            vector = f"<{size} x {elem}>"
            self.before += [
                f"  {one} = insertelement {vector} poison, {elem} {inserted[1]}, i64 0",
                f"  {name} = shufflevector {vector} {one}, {vector} poison, <{size} x i32> zeroinitializer",
            ]
        else:
            index = ", ".join([f"i32 {op.parts[1]}"] * size)
            self.before.append(
                f"  {name} = shufflevector {op.parts[0]} {source}, {op.parts[0]} poison, <{size} x i32> <{index}>"
            )
        self.shared[op.name] = name
        return name

    def _lanes_of(self, mask: str) -> str:
        """A chunk's lanes of an integer mask."""
        lanes, size = self.function.lanes, self.size
        if mask[0] != "%":
            value = int(mask) & ((1 << lanes) - 1)
            items = ["i1 true" if value >> at & 1 else "i1 false" for at in range(lanes)]
            return self._literal([f"<{', '.join(items[at : at + size])}>" for at in range(0, lanes, size)])
        found = self.local.get(mask)
        if found is not None:
            return found
        if self.masks.leaves(mask) != [mask]:
            source = self.masks.packed(mask)
            if source is not None:
                return self._operand(source, "i1")
            pair = self.masks.pair(mask)
            if pair is not None:
                left, right = self._lanes_of(pair[1]), self._lanes_of(pair[2])
                name = self.function.fresh() + ".\0"
                self.body.append(f"  {name} = {pair[0]} <{size} x i1> {left}, {right}")
                self.local[mask] = name
                return name
        shifted, cut = self.function.fresh() + ".\0", self.function.fresh() + ".\0"
        name = self.function.fresh() + ".\0"
        amount = self._literal([str(at) for at in range(0, lanes, size)])
        self.body.append(f"  {shifted} = lshr i{lanes} {mask}, {amount}")
        self.body.append(f"  {cut} = trunc i{lanes} {shifted} to i{size}")
        self.body.append(f"  {name} = bitcast i{size} {cut} to <{size} x i1>")
        self.local[mask] = name
        return name

    def _join(self, op: Op, name: str) -> list[str]:
        """The whole vector of a value that exists in chunks."""
        size = self.size
        parts = [name.replace("\0", str(at)) for at in range(self.function.lanes // size)]
        out: list[str] = []
        while len(parts) > 1:
            index = ", ".join(f"i32 {k}" for k in range(2 * size))
            joined: list[str] = []
            for at in range(0, len(parts), 2):
                whole = op.name if len(parts) == 2 else self.function.fresh()
                pair = f"<{size} x {op.elem}> {parts[at]}, <{size} x {op.elem}> {parts[at + 1]}"
                out.append(f"  {whole} = shufflevector {pair}, <{2 * size} x i32> <{index}>")
                joined.append(whole)
            parts, size = joined, 2 * size
        return out


def _arguments(op: Op) -> list[str]:
    """The arguments of a call to an intrinsic, as written."""
    from softrock.jit.tile_parse import split_top

    text = "".join(a + b for a, b in zip(op.parts, [*(o for o, _ in op.operands), ""], strict=True))
    return split_top(text[text.index("(", text.index("@llvm.")) + 1 : -1])


@functools.cache
def _registers() -> Registers | None:
    """The host's registers; None where chunks do not pay. With AVX-512 they do not: half of the values fit as they are,
    and what is spilled is hidden behind the two ports that 512-bit operations have (llvm-mca: -7 to +11% cycles)."""
    here = host()
    if not here.triple.startswith("x86_64") or here.has("avx512f"):
        return None
    return Registers(256 if here.has("avx2") else 128, 16, False, here.has("fma"))


def chunked(module: Any, machine: Any) -> str | None:
    """The text of a module (an llvmlite ModuleRef, optimised for `machine`) with its lane-wise code in chunks of the
    host's registers; None where that would change nothing."""
    registers = _registers()
    if registers is None:
        return None
    from llvmlite import binding

    passes = binding.create_new_module_pass_manager()
    passes.add_instruction_namer_pass()
    passes.run(module, binding.create_pass_builder(machine, binding.create_pipeline_tuning_options()))
    text = str(module)
    out = tile(text, registers)
    return None if out == text else out


def tile(text: str, registers: Registers) -> str:
    """Put a module's lane-wise code into chunks.

    Args:
        text: the module as LLVM prints it, every value named (LLVM's `instnamer` pass sees to it).
    """
    out: list[str] = []
    function: list[str] | None = None
    lines = text.split("\n")
    # All of them first: a declaration may stand behind the function that would need it.
    declares = {"@" + found[1] for line in lines if (found := _DECLARE.match(line)) is not None}
    for line in lines:
        if function is None:
            out.append(line)
            if line.startswith("define "):
                function = []
        elif line == "}":
            out += _tiled(function, registers, declares)
            out.append(line)
            function = None
        else:
            function.append(line)
    out[-1:-1] = sorted(each for each in declares if each.startswith("declare "))
    return "\n".join(out)


def _tiled(lines: list[str], registers: Registers, declares: set[str]) -> list[str]:
    text = "\n".join(lines)
    if '%"' in text:
        return lines
    lanes = 64 if text.count("<64 x ") >= text.count("<32 x ") else 32
    if lanes * 32 <= registers.bits or f"<{lanes} x " not in text:
        return lines
    return _Function(lines, lanes, registers, declares).text()
