"""A small builder of LLVM IR text. Its values are :class:`softrock.lift.values.Val`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from softrock.lift import forms
from softrock.lift.types import Ty, elem_of, float_literal, wrap
from softrock.lift.values import Val, sum_to_odd

__all__ = ["Block", "Builder", "Ty", "Val", "elem_of", "float_literal", "sum_to_odd"]


class Block:
    """A basic block under construction."""

    __slots__ = ("done", "label", "lines")

    def __init__(self, label: str) -> None:
        self.label = label
        self.lines: list[str | list[str]] = []
        """Instructions; a list in it is filled in later."""
        self.done = False


class Builder:
    """Emits one LLVM function's blocks; shared declarations go to `declares` of the module under construction."""

    def __init__(self, declares: dict[str, str]) -> None:
        self.declares = declares
        self.blocks: list[Block] = []
        self.block = Block("unset")
        self.counter = 0
        self.debug = ""
        """Suffix of instructions that may fault or wait, and of branches (endless loops), e.g. ``, !dbg !12``."""

    def new_block(self, label: str) -> Block:
        """A block with a unique label, not yet current."""
        self.counter += 1
        return Block(f"{label}.{self.counter}")

    def begin(self, block: Block) -> None:
        """Make `block` current."""
        self.blocks.append(block)
        self.block = block

    def op(self, ty: Ty, text: str) -> Val:
        """Emit ``%n = text`` and give its value."""
        self.counter += 1
        ref = f"%t{self.counter}"
        self.block.lines.append(f"  {ref} = {text}")
        return Val(self, ref, ty.kind, ty.bits, ty.lanes)

    def op_debug(self, ty: Ty, text: str) -> Val:
        """As `op`, carrying the current GPU address for fault reports."""
        return self.op(ty, text + self.debug)

    def line(self, text: str) -> None:
        """Emit an instruction without a result."""
        self.block.lines.append(f"  {text}")

    def line_debug(self, text: str) -> None:
        self.block.lines.append(f"  {text}{self.debug}")

    def declare(self, name: str, text: str) -> None:
        """Note a module-level declaration or helper definition, once per name."""
        self.declares.setdefault(name, text)

    def call(self, name: str, ty: Ty, *args: Val) -> Val:
        """Call a pure function or intrinsic, declaring it from the arguments' types."""
        self.declare(name, f"declare {ty.llvm} @{name}({', '.join(a.ty.llvm for a in args)})")
        return self.op(ty, f"call {ty.llvm} @{name}({', '.join(a.typed for a in args)})")

    def call_void(self, name: str, *args: Val | str) -> None:
        """Call a runtime helper without result; a str argument is a pointer."""
        types = ", ".join("ptr" if isinstance(a, str) else a.ty.llvm for a in args)
        self.declare(name, f"declare void @{name}({types})")
        shown = ", ".join(f"ptr {a}" if isinstance(a, str) else a.typed for a in args)
        self.line_debug(f"call void @{name}({shown})")

    def const(self, name: str, value: int | float, lanes: int = 0) -> Val:
        """A constant scalar or splat."""
        kind, bits = elem_of(name)
        text: str
        if kind in "fb":
            text = float_literal(kind, bits, float(value))
        else:
            value = wrap(int(value), kind, bits)
            text = str(value) if bits > 1 else ("true" if value else "false")
        ty = Ty(kind, bits, lanes)
        if lanes:
            text = f"splat ({ty.elem} {text})"
        return Val(self, text, kind, bits, lanes, value)

    def vector(self, name: str, values: Sequence[int]) -> Val:
        """A constant vector of integers."""
        kind, bits = elem_of(name)
        text = ", ".join(f"i{bits} {v}" for v in values)
        return Val(self, f"<{text}>", kind, bits, len(values))

    def iota(self, lanes: int, name: str = "u32", step: int = 1) -> Val:
        """Lane numbers times `step`."""
        out = self.vector(name, [i * step for i in range(lanes)])
        out.form = forms.Rows(self.const(name, 0), step, lanes, None)
        out.zeros, out.top = out.bits, step * (lanes - 1)
        return out

    def branch(self, target: Block) -> None:
        if not self.block.done:
            self.line_debug(f"br label %{target.label}")
            self.block.done = True

    def cond_branch(self, cond: Val, yes: Block, no: Block, weights: tuple[int, int] | None = None) -> None:
        """Conditional branch; `weights` are the likelihoods of the two ways."""
        prof = ""
        if weights is not None:
            self.declare(f"!prof{weights}", "")
            prof = f', !prof !{{!"branch_weights", i32 {weights[0]}, i32 {weights[1]}}}'
        self.line_debug(f"br {cond.typed}, label %{yes.label}, label %{no.label}{prof}")
        self.block.done = True

    def phi(self, ty: Ty, incoming: Sequence[tuple[Val, Block]]) -> Val:
        ones = forms.scalars_of([v for v, _ in incoming]) if ty.lanes else None
        if ones is not None:
            blocks = [block for _, block in incoming]
            return self.phi(ty._replace(lanes=0), list(zip(ones, blocks, strict=True))).splat(ty.lanes)
        for value, block in incoming:
            if value.form is not None:
                self._settle(value, block)
        text = ", ".join(f"[ {v.ref}, %{b.label} ]" for v, b in incoming)
        return self.op(ty, f"phi {ty.llvm} {text}")

    def _settle(self, value: Val, block: Block) -> None:
        """Compute a value with a form at the end of a block that was left already."""
        here, end = self.block, Block(block.label)
        terminator = block.lines.pop() if block.done else None
        self.block = end
        value._ref = forms.emit(value).ref
        value._block = here
        block.lines.extend(end.lines)
        if terminator is not None:
            block.lines.append(terminator)
        self.block = here

    def ptr(self, address: Val) -> str:
        """A u64 scalar as a pointer operand."""
        self.counter += 1
        ref = f"%p{self.counter}"
        self.block.lines.append(f"  {ref} = inttoptr {address.typed} to ptr")
        return ref

    def load(self, ty: Ty, pointer: str, align: int) -> Val:
        return self.op_debug(ty, f"load {ty.llvm}, ptr {pointer}, align {align}")

    def store(self, value: Val, pointer: str, align: int) -> None:
        self.line_debug(f"store {value.typed}, ptr {pointer}, align {align}")

    def load_whole(self, address: Val, words: int) -> list[Val]:
        """Dwords from a u64 scalar on, each pair of them in one host access: another thread that stores such a pair
        whole is never seen half way. (Volatile, for only such accesses are never split.)"""
        out: list[Val] = []
        for k in range(0, words, 2):
            pointer = self.ptr(address + 4 * k if k else address)
            if k + 1 == words:
                out.append(self.load(Ty("u", 32, 0), pointer, 1))
            else:
                pair = self.op_debug(Ty("u", 64, 0), f"load volatile i64, ptr {pointer}, align 1")
                out += [pair.to("u32"), (pair >> 32).to("u32")]
        return out

    def store_whole(self, address: Val, words: Sequence[Val]) -> None:
        """Store scalar dwords from a u64 scalar on, each pair of them in one host access."""
        for k in range(0, len(words), 2):
            pointer = self.ptr(address + 4 * k if k else address)
            if k + 1 == len(words):
                self.store(words[k], pointer, 1)
            else:
                pair = words[k].to("u64") | words[k + 1].to("u64") << 32
                self.line_debug(f"store volatile {pair.typed}, ptr {pointer}, align 1")

    def text(self) -> str:
        """The blocks as text."""
        out: list[str] = []
        for block in self.blocks:
            out.append(f"{block.label}:")
            for line in block.lines:
                if isinstance(line, str):
                    out.append(line)
                else:
                    out.extend(line)
        return "\n".join(out)

    def hole(self) -> list[str]:
        """A place in the current block to be filled by `fill`."""
        lines: list[str] = []
        self.block.lines.append(lines)
        return lines

    @contextmanager
    def fill(self, hole: list[str]) -> Iterator[None]:
        """Emit into a hole."""
        here, block = self.block, Block("hole")
        self.block = block
        try:
            yield
        finally:
            self.block = here
            hole.extend(line for line in block.lines if isinstance(line, str))
