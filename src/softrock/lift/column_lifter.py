"""Kernels whose workgroups run several of a column at once (:mod:`softrock.lift.columns` tells which).

A launch gives such a kernel one workgroup for every few in y. Two LLVM functions stand behind it. One, a
:class:`Together`, keeps a register file for each workgroup and carries out each GPU instruction for all of them, or
once where they share what it reads; branches go one way for all. Where they would not, or where lanes are off, it runs
the other, an :class:`Apart`, for one workgroup after the other from the beginning.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from softrock.codeobj import Kernel
from softrock.decode.instruction import Instruction
from softrock.lift import apply, cfg
from softrock.lift.columns import SCC, SGPRS, Shares, shares
from softrock.lift.context import Wave
from softrock.lift.entry import packed_ids, set_initial_state
from softrock.lift.function import END, Facts, FunctionLifter, Node, Unit, function_name
from softrock.lift.ir import Builder, Ty, Val
from softrock.lift.regs import VCC, Bank, Registers
from softrock.lift.shapes import Shape

_FILE = 1 << 10
"""Numbers of vector registers from one register file to the next, where a set holds those of all."""

_ALL = (1 << 1024) - 1

PARTING, MOST_PARTINGS = 4, 64
"""Workgroups that part have done some work in vain. Each parting counts so much, each time that they stay together
takes off one; above so many they no longer try."""


class _OwnBank(Bank):
    """A workgroup's own registers of a bank; what it shares it reads from the first workgroup's."""

    def __init__(self, b: Builder, prefix: str, lanes: int, first: Bank) -> None:
        super().__init__(b, prefix, lanes)
        self.first = first
        self.own = 0

    def read(self, r: int) -> Val:
        return super().read(r) if self.own >> r & 1 else self.first.read(r)

    def read_pair(self, r: int) -> Val:
        match self.own >> r & 3:
            case 0:
                return self.first.read_pair(r)
            case 3:
                return super().read_pair(r)
            case _:
                from softrock.lift import forms

                return forms.combine(self.read(r), self.read(r + 1))

    def take(self, registers: int) -> None:
        """Copy registers (a set) that the workgroups have shared so far."""
        for r in _numbers(registers & ~self.own):
            self.write(r, self.first.read(r))
        self.own |= registers


class _OwnRegisters(Registers):
    """The register file of another workgroup than the first."""

    def __init__(self, b: Builder, lanes: int, tag: str, first: Registers) -> None:
        super().__init__(b, lanes, tag)
        self.first = first
        self.own_vectors = _OwnBank(b, f"{tag}v", lanes, first.vector)
        self.own_scalars = _OwnBank(b, f"{tag}s", 0, first.scalar)
        self.vector, self.scalar = self.own_vectors, self.own_scalars
        self._own_scc = False

    def set_own(self, own: int) -> None:
        """What is not shared from here on (a set of :mod:`softrock.lift.columns`)."""
        self.own_vectors.own = own & ((1 << SGPRS) - 1)
        self.own_scalars.own = own >> SGPRS & ((1 << 128) - 1)
        self._own_scc = bool(own & SCC)

    def take(self, own: int) -> None:
        """Stop sharing, from here on, a set of registers."""
        self.own_vectors.take(own & ((1 << SGPRS) - 1))
        self.own_scalars.take(own >> SGPRS & ((1 << 128) - 1))
        if own & SCC and not self._own_scc:
            self.set_scc(self.first.scc())
            self._own_scc = True

    def scc(self) -> Val:
        return super().scc() if self._own_scc else self.first.scc()

    def cached(self) -> tuple[Any, ...]:
        return super().cached(), self.first.cached()

    def restore(self, known: tuple[Any, ...]) -> None:
        super().restore(known[0])
        self.first.restore(known[1])


def _numbers(members: int) -> list[int]:
    out = []
    while members:
        low = members & -members
        out.append(low.bit_length() - 1)
        members ^= low
    return out


def _apart_name(entry: int) -> str:
    return f"{function_name(entry)}.one"


class Apart(FunctionLifter):
    """The kernel for one of the workgroups, ``i64 @f_<address>.one(ptr %wave, i32 %row)``."""

    def __init__(
        self, unit: Unit, graph: cfg.Function, declares: dict[str, str], kernel: Kernel, facts: Facts, rows: int
    ) -> None:
        super().__init__(unit, graph, declares, kernel, facts)
        self.x.rows, self.x.row = rows, Val(self.b, "%row", "u", 32, 0)

    @property
    def name(self) -> str:
        return _apart_name(self.graph.entry)

    @property
    def parameters(self) -> str:
        return f"{super().parameters}, i32 %row"


class Together(FunctionLifter):
    """The kernel for `rows` workgroups of a column at once, as long as they go the same way with all lanes on."""

    def __init__(
        self, unit: Unit, graph: cfg.Function, declares: dict[str, str], kernel: Kernel, facts: Facts, rows: int
    ) -> None:
        self.shares: Shares = shares(graph, facts.semantics, kernel)
        vectors = (1 << SGPRS) - 1
        live = {}
        for address, bits in facts.live.items():
            own = bits & self.shares.at.get(address, 0) & vectors
            live[address] = bits | sum(own << _FILE * k for k in range(1, rows))
        super().__init__(unit, graph, declares, kernel, replace(facts, live=live))
        self.x.rows = rows
        self.others = [self._other(k, rows) for k in range(1, rows)]
        self._parting, self._apart = self.b.new_block("parting"), self.b.new_block("apart")
        self._own = _ALL
        self._next: list[int] = [graph.entry]

    def _other(self, k: int, rows: int) -> tuple[Wave, _OwnRegisters]:
        unit = self.unit
        regs = _OwnRegisters(self.b, unit.lanes, f"w{k}.", self.regs)
        x = Wave(self.b, regs, unit.target, unit.mode, unit.kernel_name)
        first = self.x
        x.native_gather, x.uses_scratch = unit.native_gather, unit.uses_scratch
        x.compact, x.vgprs = first.compact, unit.vgprs
        x.layout, x.most_threads, x.arrays = unit.layout, unit.most_threads, first.arrays
        x.streams, x.ahead = first.streams, first.ahead
        x.rows, x.row = rows, self.b.const("u32", k)
        regs.vector.special = lambda: packed_ids(x)
        regs.vector.paired, regs.scalar.paired = self.facts.vector_pairs, self.facts.scalar_pairs
        return x, regs

    @property
    def files(self) -> list[Registers]:
        return [self.regs, *(regs for _, regs in self.others)]

    # -- driving ---------------------------------------------------------------------------------------------

    def lift(self) -> None:
        if self.unit.quick:  # one version of each block, which is that for a single workgroup
            self._begin(self.current)
            self._at(self.graph.entry)
            self.b.branch(self._apart)
            self.b.blocks = self.current.blocks = [self.current.head]
        else:
            super().lift()
        call = f"call i64 @{_apart_name(self.graph.entry)}(ptr %wave, i32"
        debug = f", !dbg !D{self.graph.entry:x}"
        self._apart.lines = [f"  %apart{k} = {call} {k}){debug}" for k in range(len(self.files))]
        self._apart.lines.append(f"  ret i64 {END}")
        self.b.blocks.append(self._apart)
        if not self.unit.quick:
            self._count_parting()

    def _count_parting(self) -> None:
        kept, self.b.blocks = self.b.blocks, []
        self.b.begin(self._parting)
        self._set_partings(self._partings() + PARTING)
        self.b.branch(self._apart)
        self.b.blocks = [*kept, *self.b.blocks]

    def _partings(self) -> Val:
        """How often workgroups have parted of late (see `PARTING`)."""
        name = f"sr_partings_{self.graph.entry:x}"
        self.b.declare(name, f"@{name} = internal global i32 0, align 4")
        return self.b.op(Ty("u", 32, 0), f"load atomic i32, ptr @{name} monotonic, align 4")

    def _set_partings(self, count: Val) -> None:
        name = f"sr_partings_{self.graph.entry:x}"
        self.b.line(f"store atomic {count.typed}, ptr @{name} monotonic, align 4")

    def _kernel_state(self, kernel: Kernel) -> None:
        on = self.b.new_block("together")
        self.b.cond_branch(self._partings().le(MOST_PARTINGS), on, self._apart, (100, 1))
        self.b.begin(on)
        super()._kernel_state(kernel)
        for x, regs in self.others:
            regs.set_own(_ALL)
            set_initial_state(x, kernel)

    def _return(self, where: Val, save: bool) -> None:
        count = self._partings()
        less, over = self.b.new_block("less"), self.b.new_block("over")
        self.b.cond_branch(count.eq(0), over, less, (100, 1))
        self.b.begin(less)
        self._set_partings(count - 1)
        self.b.branch(over)
        self.b.begin(over)
        super()._return(where, save)

    def _begin(self, node: Node) -> None:
        super()._begin(node)
        entry: dict[int, Shape] = node.entry or {}
        for x, _ in self.others:
            x.new_block()
        for k, regs in enumerate(self.files):
            # Numbers of other files than the first are `_FILE` higher in what concerns all.
            regs.vector.entry = {r % _FILE: shape for r, shape in entry.items() if r // _FILE == k}
            regs.vector.exits = {}

    def _end(self, node: Node) -> None:
        for k, (_, regs) in enumerate(self.others, 1):
            self.regs.vector.exits.update({r + k * _FILE: left for r, left in regs.vector.exits.items()})
        super()._end(node)

    def _materialise(self, node: Node, wanted: set[int]) -> None:
        for k, regs in enumerate(self.files):
            bank = regs.vector
            bank.exits = {r % _FILE: left for r, left in node.exits.items() if r // _FILE == k}
            for r in sorted(wanted):
                if r // _FILE == k:
                    bank.materialise(r % _FILE)

    def _flush(self) -> None:
        wanted = 0
        for address in self._next:
            wanted |= self.shares.at[address]
        for _, regs in self.others:
            regs.take(wanted & ~self._own)
            regs.flush()
        super()._flush()

    def _block(self, block: cfg.BasicBlock) -> None:
        self._next = block.successors
        for inst in block.insts:
            self._at(inst.address)
            self._own = self.shares.before[inst.address]
            for _, regs in self.others:
                regs.set_own(self._own)
            if self._control(inst):
                return
            self._carry_out(inst)
            self._own = self.shares.steps[inst.address].own(self._own)
        for _, regs in self.others:
            regs.set_own(self._own)
        if cfg.writes_exec(block.last):
            self._choose(block.last.end)
        else:
            self._flush()
            self.b.branch(self.node(block.last.end, True))

    def _carry_out(self, inst: Instruction) -> None:
        step = self.shares.steps[inst.address]
        waves: list[tuple[Wave, Registers]] = [(self.x, self.regs)]
        if not step.shared(self._own):
            for _, own in self.others:
                own.take(step.reads & step.writes)
                own.set_own(self._own | step.writes)
            waves += self.others
        semantic = self.facts.semantics[inst.address]
        for x, regs in waves:
            if inst.parts:
                with self._as(x, regs):
                    self._dual_issue(inst)
            elif semantic is None:
                raise x.unsupported(inst)
            else:
                apply.run(x, inst, semantic)

    @contextmanager
    def _as(self, x: Wave, regs: Registers) -> Iterator[None]:
        """Translate for one of the workgroups inside."""
        kept = self.x, self.regs
        self.x, self.regs = x, regs
        try:
            yield
        finally:
            self.x, self.regs = kept

    # -- branches --------------------------------------------------------------------------------------------

    def _choose(self, address: int) -> None:
        on = self.regs.exec().eq(-1)
        for _, regs in self.others:
            on = on & regs.exec().eq(-1)
        self._flush()
        self.b.cond_branch(on, self.node(address, True), self._parting, (100, 1))

    def _condition(self, name: str, inst: Instruction) -> Val:
        first = super()._condition(name, inst)
        tested = SCC if name.startswith("scc") else 3 << (SGPRS + VCC)
        if not self._own & tested:
            return first
        same = None
        for x, regs in self.others:
            with self._as(x, regs):
                agrees = super()._condition(name, inst).eq(first)
            same = agrees if same is None else same & agrees
        assert same is not None
        on = self.b.new_block("same")
        self.b.cond_branch(same, on, self._parting, (100, 1))
        self.b.begin(on)
        return first
