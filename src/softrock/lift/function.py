"""Translate one GPU function to one LLVM function ``i64 @f_<address>(ptr %wave)``.

Every block may exist twice: once where all lanes are known to be on (no masks at all), once under EXEC. Whatever
writes EXEC ends its block with a run-time test that picks the version to go on with. A function returns the GPU
address to go on at, or END when the wave has ended; a call spills the register file to the wave's save area and
loads it back.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field

from softrock.codeobj import Kernel
from softrock.decode.instruction import Instruction, Kind
from softrock.isa.targets import Target
from softrock.lift import apply, cfg, execs, liveness, registry
from softrock.lift.context import Mode, Wave
from softrock.lift.entry import packed_ids, set_initial_state
from softrock.lift.ir import Block, Builder, Ty, Val
from softrock.lift.regs import M0, VCC, Bank, Registers
from softrock.lift.shapes import Shape, meet
from softrock.lift.wave import OFFSET

END = 1
"""What a translated function returns when the wave has ended; no code stands at address 1."""

DUAL_LIMIT = 3000
"""Above this many instructions a function gets only the masked version: compile time before speed."""

DUAL_BLOCKS = 500
"""The same for the number of basic blocks: LLVM's time grows fast with it."""

COMPACT_LIMIT = 400
"""Above this many instructions masked memory accesses are calls."""

_SAVED_SCC, _SAVED_EXEC, _SAVED_SCALARS, _SAVED_VECTORS = 0, 8, 64, 1024
_COHERENT = ("glc", "sc0", "sc1", "dlc")
_EXCHANGES = ("ds_cmpst", "ds_cmpstore", "ds_storexchg", "ds_wrxchg")

SHAPE_LIMIT = 3000
"""Above this many instructions forms of registers end with their block: blocks are translated once."""

RETRIES = 4
"""After this many translations of a block its registers come as vectors."""

WAITING_TURNS = 16
"""A loop that looks at what other waves write lets them run this often."""

COUNTING_TURNS = 4096
"""A loop whose atomics give nothing back lets other waves run this often."""


def watched(inst: Instruction) -> tuple[int, int]:
    """The instruction's address, and how often a loop with it yields (0: not for its sake)."""
    name = inst.op
    if "atomic" in name or name.startswith(_EXCHANGES):
        return inst.address, WAITING_TURNS if inst.dst else COUNTING_TURNS
    coherent = "_load_" in name and not name.startswith("s_") and any(inst.mod(m) for m in _COHERENT)
    return inst.address, WAITING_TURNS if coherent else 0


@dataclass(frozen=True, slots=True)
class Unit:
    """What translating a function needs to know about its surroundings."""

    target: Target
    lanes: int
    mode: Mode
    kernel_name: str
    semantics_of: Callable[[str], registry.Semantic | None]
    native_gather: bool
    uses_scratch: bool
    vgprs: int
    layout: str = "any"
    most_threads: int = 1024
    quick: bool = False


def function_name(address: int) -> str:
    return f"f_{address:x}"


@dataclass
class Node:
    """A GPU block in one version: its LLVM blocks, the shapes of registers it is entered with (None: not yet known)
    and left with, its successors, and where vectors for these are stored."""

    head: Block
    blocks: list[Block] = field(default_factory=list)
    entry: dict[int, Shape] | None = None
    exits: dict[int, tuple[Shape, Val | None]] = field(default_factory=dict)
    successors: list[tuple[int, bool]] = field(default_factory=list)
    hole: list[str] = field(default_factory=list)
    runs: int = 0
    waiting: bool = False


class FunctionLifter:
    """Translates one function; `text()` gives the LLVM definition, `yields` whether its waves must be fibers."""

    def __init__(
        self, unit: Unit, graph: cfg.Function, declares: dict[str, str], kernel: Kernel | None
    ) -> None:
        self.unit = unit
        self.graph = graph
        self.kernel = kernel
        self.b = Builder(declares)
        self.regs = Registers(self.b, unit.lanes)
        self.x = Wave(self.b, self.regs, unit.target, unit.mode, unit.kernel_name)
        self.x.native_gather, self.x.uses_scratch = unit.native_gather, unit.uses_scratch
        self.x.vgprs = unit.vgprs
        self.x.layout, self.x.most_threads = unit.layout, unit.most_threads
        self.regs.vector.special = lambda: packed_ids(self.x)
        self.nodes: dict[tuple[int, bool], Node] = {}
        self.pending: list[tuple[int, bool]] = []
        self.current = Node(Block("start"))
        self.shaped = graph.instructions <= SHAPE_LIMIT and not unit.quick
        self.dual = graph.instructions <= DUAL_LIMIT and len(graph.blocks) <= DUAL_BLOCKS and not unit.quick
        self.x.compact = graph.instructions > COMPACT_LIMIT
        self.yields = False
        self.debug_lines: dict[int, None] = {}
        self._late: list[tuple[Block, Block, int]] = []
        self._spin_edges = self._find_spins()

    # -- driving ---------------------------------------------------------------------------------------------

    def lift(self) -> None:
        """Translate every reachable block."""
        semantics = {
            inst.address: self.unit.semantics_of(inst.op)
            for block in self.graph.blocks.values()
            for inst in block.insts
        }
        effects = {
            inst.address: liveness.effect(inst, semantics[inst.address])
            for block in self.graph.blocks.values()
            for inst in block.insts
        }
        largest = execs.whole_points(self.graph, semantics, self.x.W) if self.kernel is not None else set()
        keep, self.live = liveness.solve(self.graph, effects, largest)
        self.regs.vector.paired, self.regs.scalar.paired = _choose_pairs(self.graph), _choose_scalar_pairs(self.graph)
        start = self.current
        self._begin(start)
        self._at(self.graph.entry)
        if self.kernel is not None:
            self._kernel_state(self.kernel)
        else:
            self.b.line(";LOAD")
        self._choose(self.graph.entry)
        self._end(start)
        while self.pending:
            address, full = key = heapq.heappop(self.pending)
            node = self.nodes[key]
            node.waiting = False
            self._begin(node)
            self.x.full = full
            self._block(self.graph.blocks[address], semantics, keep)
            self._end(node)
        for node in (start, *self.nodes.values()):
            self._reconcile(node)
        self.b.blocks = [block for node in (start, *self.nodes.values()) for block in node.blocks]

    def _begin(self, node: Node) -> None:
        """Start translating a node, perhaps again."""
        node.head.lines, node.head.done = [], False
        node.successors, node.exits, node.hole = [], {}, []
        self.current = node
        self.b.blocks = []
        self.b.begin(node.head)
        self.x.new_block()
        self.regs.vector.entry = node.entry or {}
        self.regs.vector.exits = {}

    def _end(self, node: Node) -> None:
        """Note what a node gives; whoever gets a lesser shape than assumed before is translated again."""
        node.blocks = self.b.blocks
        node.exits = self.regs.vector.exits
        node.runs += 1
        for key in node.successors:
            successor, live = self.nodes[key], self.live[key[0]]
            if successor.entry is None:
                merged = {r: shape for r, (shape, _) in node.exits.items() if live >> r & 1} if self.shaped else {}
            else:
                merged = {}
                for r, shape in successor.entry.items():
                    both = meet(shape, node.exits[r][0]) if r in node.exits else None
                    if both is not None and successor.runs < RETRIES:
                        merged[r] = both
            if merged != successor.entry:
                successor.entry = merged
                if not successor.waiting:
                    successor.waiting = True
                    heapq.heappush(self.pending, key)

    def _reconcile(self, node: Node) -> None:
        """Store the vectors of registers that a successor wants as such."""
        bank = self.regs.vector
        bank.exits = node.exits
        wanted = {
            r
            for key in node.successors
            for r in node.exits
            if self.live[key[0]] >> r & (3 if node.exits[r][0].kind != "word" else 1)
            and r not in (self.nodes[key].entry or {})
        }
        with self.b.fill(node.hole):
            for r in sorted(wanted):
                bank.materialise(r)

    def _at(self, address: int) -> None:
        self.debug_lines[address] = None
        self.b.debug = f", !dbg !D{address:x}"

    def node(self, address: int, full: bool) -> Block:
        """The LLVM block for a GPU block in one of its two versions."""
        key = (address, full and self.dual)
        if key not in self.nodes:
            self.nodes[key] = Node(self.b.new_block(f"{'full' if key[1] else 'part'}_{address:x}"))
        self.current.successors.append(key)
        return self.nodes[key].head

    def _flush(self) -> None:
        """Store the registers at the end of a node; what successors want of it besides comes when all are known."""
        self.regs.flush()
        self.current.hole = self.b.hole()

    def _block(
        self, block: cfg.BasicBlock, semantics: dict[int, registry.Semantic | None], keep: dict[int, int]
    ) -> None:
        x = self.x
        for inst in block.insts:
            self._at(inst.address)
            x.keep = keep[inst.address]
            if self._control(inst):
                return
            if inst.parts:
                self._dual_issue(inst)
                continue
            semantic = semantics[inst.address]
            if semantic is None:
                raise x.unsupported(inst)
            apply.run(x, inst, semantic)
        if cfg.writes_exec(block.last):
            self._choose(block.last.end)
        else:
            self._flush()
            self.b.branch(self.node(block.last.end, x.full))

    def _dual_issue(self, inst: Instruction) -> None:
        # Both halves read their sources before either writes (RDNA3 ISA guide, VOPD).
        x = self.x
        sources = {op.index for op in inst.parts[1].src if op.kind is Kind.VGPR}
        clash = any(d.index in sources for d in inst.parts[0].dst)
        order = inst.parts
        if clash:
            second_sources = {op.index for op in inst.parts[0].src if op.kind is Kind.VGPR}
            if any(d.index in second_sources for d in inst.parts[1].dst):
                self._exchange(inst)
                return
            order = (inst.parts[1], inst.parts[0])
        for part in order:
            semantic = self.unit.semantics_of(part.op)
            if semantic is None:
                raise x.unsupported(part)
            apply.run(x, part, semantic)

    def _exchange(self, inst: Instruction) -> None:
        # Each half overwrites a source of the other: run the first, keep its result aside, put the old value back,
        # run the second.
        bank = self.regs.vector
        first, second = inst.parts
        dst = first.dst[0].index
        old = bank.read(dst)
        for part in (first, second):
            semantic = self.unit.semantics_of(part.op)
            if semantic is None:
                raise self.x.unsupported(part)
            apply.run(self.x, part, semantic)
            if part is first:
                result = bank.read(dst)
                bank.write(dst, old)
        bank.write(dst, result)

    def _choose(self, address: int) -> None:
        """Go on at `address` in the version that EXEC allows."""
        bits = self.regs.exec()
        self._flush()
        if not self.dual:
            self.b.branch(self.node(address, False))
        elif bits.const is not None and bits.const in (-1, (1 << self.x.W) - 1):
            self.b.branch(self.node(address, True))
        else:
            self.b.cond_branch(bits.eq(-1), self.node(address, True), self.node(address, False))

    # -- control flow ----------------------------------------------------------------------------------------

    def _control(self, inst: Instruction) -> bool:
        """Translate a control instruction that ends its block; False for anything else."""
        op = inst.op
        if op in cfg.END_OPS:
            self._return(self.b.const("u64", END), save=False)
        elif op == "s_branch":
            self._jump(inst, inst.src[0].value)
        elif op.startswith("s_cbranch"):
            self._conditional(inst)
        elif op == "s_setpc_b64":
            known = self.graph.targets.get(inst.address)
            if known is not None and known in self.graph.blocks and known != self.graph.entry:
                self._jump(inst, known)
            else:
                self._return(self.x.read_scalar(inst.src[0], "u64"), save=True)
        elif op in ("s_swappc_b64", "s_call_b64"):
            self._call(inst)
        else:
            return False
        return True

    def _jump(self, inst: Instruction, target: int) -> None:
        self._flush()
        if turns := self._spin_edges.get((inst.address, target)):
            self._maybe_yield(turns)
        self.b.branch(self.node(target, self.x.full))

    def _conditional(self, inst: Instruction) -> None:
        x, name = self.x, inst.op[len("s_cbranch_") :]
        target, follow = inst.src[0].value, inst.end
        if name not in ("execz", "execnz") or not x.full:
            self._flush()
        if name in ("scc0", "scc1"):
            cond = self.regs.scc()
        elif name in ("vccz", "vccnz"):
            vcc = self.regs.scalar.read_pair(VCC) if x.W == 64 else self.regs.scalar.read(VCC)
            cond = vcc.ne(0)
        elif name in ("execz", "execnz"):
            if x.full:
                self._jump(inst, target if name == "execnz" else follow)
                return
            cond = self.regs.exec().ne(0)
        else:
            raise x.unsupported(inst)
        if name in ("scc0", "vccz", "execz"):
            target, follow = follow, target
        yes, no = self._edge(inst, target), self._edge(inst, follow)
        self.b.cond_branch(cond, yes, no)
        self._finish_edges()

    def _edge(self, inst: Instruction, target: int) -> Block:
        node = self.node(target, self.x.full)
        turns = self._spin_edges.get((inst.address, target))
        if turns is None:
            return node
        between = self.b.new_block("spin")
        self._late.append((between, node, turns))
        return between

    def _finish_edges(self) -> None:
        for between, node, turns in self._late:
            self.b.begin(between)
            self._maybe_yield(turns)
            self.b.branch(node)
        self._late.clear()

    def _maybe_yield(self, turns: int) -> None:
        """Let the workgroup's other waves run every `turns` times (a power of two): this loop may be waiting for
        them."""
        self.yields = True
        count = self.b.op(Ty("u", 32, 0), "load i32, ptr %spins, align 4") + 1
        self.b.line(f"store {count.typed}, ptr %spins, align 4")
        now, on = self.b.new_block("yield"), self.b.new_block("on")
        self.b.cond_branch((count & (turns - 1)).eq(0), now, on, (1, turns - 1))
        self.b.begin(now)
        self.b.call_void("sr_yield", "%wave")
        self.b.branch(on)
        self.b.begin(on)

    def _find_spins(self) -> dict[tuple[int, int], int]:
        """Back edges of loops that may wait for another wave, and how many turns apart they yield. A loop waits on
        what an atomic or a coherent load gives back; one whose atomics give nothing back hardly ever does, but
        may still watch memory by plain loads."""
        waits = {a: n for b in self.graph.blocks.values() for a, n in map(watched, b.insts) if n}
        edges: dict[tuple[int, int], int] = {}
        for block in self.graph.blocks.values():
            last = block.last.address
            for target in block.successors:
                turns = [n for a, n in waits.items() if target <= a <= last] if target <= last else []
                if turns:
                    edges[(last, target)] = min(turns)
        return edges

    def _return(self, where: Val, save: bool) -> None:
        self.regs.flush(solid=True)
        if save:
            self.b.line(";SAVE")
        self.b.line(f"ret {where.typed}")
        self.b.block.done = True

    def _call(self, inst: Instruction) -> None:
        b, x = self.b, self.x
        known = self.graph.targets.get(inst.address)
        target = None if known is not None else x.read_scalar(inst.src[0], "u64")
        back = x.field("code_base", "u64") + inst.end
        low, high = back.to("u32"), (back >> 32).to("u32")
        self.regs.scalar.write(inst.dst[0].index, low)
        self.regs.scalar.write(inst.dst[0].index + 1, high)
        self.regs.flush(solid=True)
        b.line(";SAVE")
        first = self._invoke_known(known) if known is not None else self._invoke(target)
        loop, again, done, ended, resume = (
            b.new_block(n) for n in ("ret", "again", "back", "ended", "resume")
        )
        origin = b.block
        b.branch(loop)
        b.begin(loop)
        ref = f"%went.{b.counter}"
        phi_line = len(b.block.lines)
        b.block.lines.append("")
        went = Val(b, ref, "u", 64, 0)
        b.cond_branch(went.eq(back), done, again, (100, 1))
        b.begin(again)
        b.cond_branch(went.eq(END), ended, resume)
        b.begin(resume)
        second = self._invoke(went)
        resumed = b.block
        b.branch(loop)
        loop.lines[phi_line] = (
            f"  {ref} = phi i64 [ {first.ref}, %{origin.label} ], [ {second.ref}, %{resumed.label} ]"
        )
        b.begin(ended)
        b.line(f"ret i64 {END}")
        b.block.done = True
        b.begin(done)
        b.line(";LOAD")
        self.x.new_block()
        self._choose(inst.end)

    def _invoke_known(self, target: int) -> Val:
        return self.b.op_debug(Ty("u", 64, 0), f"call i64 @{function_name(target)}(ptr %wave)")

    def _invoke(self, target: Val | None) -> Val:
        if target is None:
            raise AssertionError("call without target")
        here = self.x.field("code_base", "u64")
        self.b.declare("sr_lookup", "declare ptr @sr_lookup(ptr, i64)")
        offset = target - here
        ref = f"%fn.{self.b.counter}"
        self.b.line_debug(f"{ref} = call ptr @sr_lookup(ptr %wave, {offset.typed})")
        return self.b.op_debug(Ty("u", 64, 0), f"call i64 {ref}(ptr %wave)")

    # -- entry state -----------------------------------------------------------------------------------------

    def _kernel_state(self, kernel: Kernel) -> None:
        set_initial_state(self.x, kernel)

    # -- text ------------------------------------------------------------------------------------------------

    def text(self) -> str:
        """The function's LLVM definition."""
        load, save = self._spill_code()
        lines = self.b.text().split("\n")
        for i, line in enumerate(lines):
            if line in ("  ;SAVE", "  ;LOAD"):
                lines[i] = (save if line == "  ;SAVE" else load).replace("#", f".{i}")
        body = "\n".join(lines)
        zero = [*self.regs.zeroes()] if self.kernel is not None else []
        arrays = [f"  %{n} = alloca [{s} x i8], align 64" for n, s in self.x.arrays.items()]
        slots = "\n".join(
            [
                *self.regs.slots(),
                *arrays,
                "  %spins = alloca i32, align 4",
                "  store i32 0, ptr %spins, align 4",
                *zero,
            ]
        )
        first = self.b.blocks[0].label
        return (
            f"define internal i64 @{function_name(self.graph.entry)}(ptr noalias nonnull %wave) #0 "
            f"!dbg !F{self.graph.entry:x} {{\n"
            f"slots:\n{slots}\n  br label %{first}\n{body}\n}}\n"
        )

    def _spill_code(self) -> tuple[str, str]:
        """Text that loads the registers in use from the save area, and that stores them there."""
        load: list[str] = []
        save: list[str] = []
        regs = self.regs

        def both(slot: str, kind: str, offset: int, align: int) -> None:
            n = len(load)
            for out, name in ((load, "L"), (save, "S")):
                out.append(f"  %{name}a#.{n} = getelementptr i8, ptr %{name}r#, i64 {offset}")
                source, dest = (f"%{name}a#.{n}", slot) if name == "L" else (slot, f"%{name}a#.{n}")
                out.append(f"  %{name}v#.{n} = load {kind}, ptr {source}, align {align}")
                out.append(f"  store {kind} %{name}v#.{n}, ptr {dest}, align {align}")

        both("%scc", "i1", _SAVED_SCC, 1)
        both("%exec", f"i{regs.lanes}", _SAVED_EXEC, 8)
        for bank, base, size in (
            (regs.scalar, _SAVED_SCALARS, 4),
            (regs.vector, _SAVED_VECTORS, 4 * regs.lanes),
        ):
            kind = bank.word.llvm
            for r in sorted(bank.used):
                pair = bank.paired.get(r)
                if pair is None:
                    both(f"%{bank.prefix}{r}", kind, base + r * size, size if size < 64 else 64)
                elif pair == r:
                    self._pair_spill(load, save, bank, r, base + r * size)
        head = "  %{0}rp# = getelementptr i8, ptr %wave, i64 {1}\n  %{0}r# = load ptr, ptr %{0}rp#, align 8"
        return (
            head.format("L", OFFSET["regs"]) + "\n" + "\n".join(load),
            head.format("S", OFFSET["regs"]) + "\n" + "\n".join(save),
        )

    def _pair_spill(self, load: list[str], save: list[str], bank: Bank, r: int, offset: int) -> None:
        word, pair = bank.word.llvm, bank.pair.llvm
        n = f"{bank.prefix}{r}"
        shift, align = ("splat (i64 32)", 64) if bank.lanes else ("32", 4)
        high = offset + (4 * bank.lanes or 4)
        load += [
            f"  %La#.{n} = getelementptr i8, ptr %Lr#, i64 {offset}",
            f"  %Lb#.{n} = getelementptr i8, ptr %Lr#, i64 {high}",
            f"  %Ll#.{n} = load {word}, ptr %La#.{n}, align {align}",
            f"  %Lh#.{n} = load {word}, ptr %Lb#.{n}, align {align}",
            f"  %Lx#.{n} = zext {word} %Ll#.{n} to {pair}",
            f"  %Ly#.{n} = zext {word} %Lh#.{n} to {pair}",
            f"  %Lz#.{n} = shl {pair} %Ly#.{n}, {shift}",
            f"  %Lw#.{n} = or {pair} %Lz#.{n}, %Lx#.{n}",
            f"  store {pair} %Lw#.{n}, ptr %{bank.prefix}p{r}, align 8",
        ]
        save += [
            f"  %Sw#.{n} = load {pair}, ptr %{bank.prefix}p{r}, align 8",
            f"  %Sl#.{n} = trunc {pair} %Sw#.{n} to {word}",
            f"  %Sy#.{n} = lshr {pair} %Sw#.{n}, {shift}",
            f"  %Sh#.{n} = trunc {pair} %Sy#.{n} to {word}",
            f"  %Sa#.{n} = getelementptr i8, ptr %Sr#, i64 {offset}",
            f"  %Sb#.{n} = getelementptr i8, ptr %Sr#, i64 {high}",
            f"  store {word} %Sl#.{n}, ptr %Sa#.{n}, align {align}",
            f"  store {word} %Sh#.{n}, ptr %Sb#.{n}, align {align}",
        ]


def _choose_scalar_pairs(graph: cfg.Function) -> dict[int, int]:
    """SGPR pairs that are mostly used as 64-bit values (addresses, masks of 64 lanes)."""
    whole: dict[int, int] = {}
    part: dict[int, int] = {}
    for block in graph.blocks.values():
        for inst in block.insts:
            # The halves of a long sum are put together where it is made; loads fill what their users ask for.
            neutral = inst.op.startswith(("s_add_u32", "s_addc_u32", "s_load", "s_buffer_load", "s_add_co"))
            for op in (*inst.dst, *inst.src):
                if op.kind is not Kind.SGPR or (neutral and (op.dwords != 2 or op in inst.dst)):
                    continue
                if op.dwords == 2 and op.index % 2 == 0:
                    whole[op.index] = whole.get(op.index, 0) + 1
                else:
                    for r in range(op.index, op.index + op.dwords):
                        part[r & ~1] = part.get(r & ~1, 0) + 1
    return {r: base for base, n in whole.items() if n > part.get(base, 0) for r in (base, base + 1)}


def _choose_pairs(graph: cfg.Function) -> dict[int, int]:
    """VGPR pairs that are mostly used as 64-bit values (addresses, doubles): they get one 64-bit slot."""
    whole: dict[int, int] = {}
    part: dict[int, int] = {}
    for block in graph.blocks.values():
        for inst in block.insts:
            wide_op = inst.op.endswith(("_f64", "_u64", "_i64", "_b64")) and inst.format.startswith("VOP")
            for op in (*inst.dst, *inst.src):
                if op.kind is not Kind.VGPR:
                    continue
                if op.dwords == 2 and (wide_op or op.role in ("vaddr", "addr")):
                    whole[op.index] = whole.get(op.index, 0) + 1
                else:
                    for r in range(op.index, op.index + op.dwords):
                        part[r] = part.get(r, 0) + 1
    pairs: dict[int, int] = {}
    for r in sorted(whole, key=lambda k: -whole[k]):
        if r in pairs or r + 1 in pairs:
            continue
        if whole[r] > part.get(r, 0) + part.get(r + 1, 0):
            pairs[r] = pairs[r + 1] = r
    return pairs


__all__ = ["DUAL_LIMIT", "END", "M0", "FunctionLifter", "Unit", "function_name"]
