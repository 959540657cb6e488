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
from softrock.lift import ahead, apply, barriers, cfg, execs, liveness, pairs, pieces, registry, spill, spins, streams
from softrock.lift.context import Mode, Wave
from softrock.lift.entry import packed_ids, set_initial_state
from softrock.lift.ir import Block, Builder, Ty, Val
from softrock.lift.pieces import ELSEWHERE, Piece
from softrock.lift.regs import M0, VCC, Registers
from softrock.lift.shapes import Shape, meet

END = 1
"""What a translated function returns when the wave has ended; no code stands at address 1."""

DUAL_LIMIT = 3000
"""Above this many instructions a function gets only the masked version: compile time before speed."""

DUAL_BLOCKS = 500
"""The same for the number of basic blocks: LLVM's time grows fast with it."""

COMPACT_LIMIT = 400
"""Above this many instructions masked memory accesses are calls."""

SHAPE_LIMIT = 3000
"""Above this many instructions forms of registers end with their block: blocks are translated once."""

RETRIES = 4
"""After this many translations of a block its registers come as vectors."""


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


@dataclass(frozen=True, slots=True)
class Facts:
    """What is found out about a whole function before it is translated.

    Attributes:
        semantics: of each instruction, by address.
        keep, live: see :func:`softrock.lift.liveness.solve`.
        vector_pairs, scalar_pairs: registers that get 64-bit slots, see :mod:`softrock.lift.pairs`.
        late: see :mod:`softrock.lift.barriers`. ahead: see :mod:`softrock.lift.ahead`.
        streams: see :mod:`softrock.lift.streams`.
    """

    semantics: dict[int, registry.Semantic | None]
    keep: dict[int, int]
    live: dict[int, int]
    vector_pairs: dict[int, int]
    scalar_pairs: dict[int, int]
    late: barriers.Late
    ahead: frozenset[int]
    streams: frozenset[int] = frozenset()

    @staticmethod
    def of(unit: Unit, graph: cfg.Function, kernel: Kernel | None) -> Facts:
        insts = [inst for block in graph.blocks.values() for inst in block.insts]
        semantics = {inst.address: unit.semantics_of(inst.op) for inst in insts}
        effects = {inst.address: liveness.effect(inst, semantics[inst.address]) for inst in insts}
        largest = execs.whole_points(graph, semantics, unit.lanes) if kernel is not None else set()
        keep, live = liveness.solve(graph, effects, largest)
        late = barriers.find(graph, semantics)
        bursts = ahead.find(graph) if kernel is not None and not unit.quick else frozenset()
        stores = streams.find(graph, semantics, unit.target.major) if kernel is not None else frozenset()
        return Facts(semantics, keep, live, pairs.of_vectors(graph), pairs.of_scalars(graph), late, bursts, stores)


Key = tuple[int, bool, bool]
"""A block's address, whether all lanes are on, and whether the wave owes a barrier."""


@dataclass
class Node:
    """A GPU block in one version: its LLVM blocks, the shapes of registers it is entered with (None: not yet known)
    and left with, its successors, where vectors for these are stored, and the last barrier owed at its begin (or 0)."""

    head: Block
    blocks: list[Block] = field(default_factory=list)
    entry: dict[int, Shape] | None = None
    exits: dict[int, tuple[Shape, Val | None]] = field(default_factory=dict)
    successors: list[Key] = field(default_factory=list)
    hole: list[str] = field(default_factory=list)
    owes: int = 0
    runs: int = 0
    waiting: bool = False


class FunctionLifter:
    """Translates one function or a piece of one; `text()` gives the LLVM definition, `yields` whether its waves must
    be fibers."""

    def __init__(
        self,
        unit: Unit,
        graph: cfg.Function,
        declares: dict[str, str],
        kernel: Kernel | None,
        facts: Facts,
        piece: Piece | None = None,
    ) -> None:
        self.unit = unit
        self.graph = graph
        self.facts = facts
        self.kernel = kernel
        self.piece = piece
        self.b = Builder(declares)
        self.regs = Registers(self.b, unit.lanes)
        self.x = Wave(self.b, self.regs, unit.target, unit.mode, unit.kernel_name)
        self.x.ahead = facts.ahead
        self.x.native_gather, self.x.uses_scratch = unit.native_gather, unit.uses_scratch
        self.x.vgprs = unit.vgprs
        self.x.layout, self.x.most_threads, self.x.streams = unit.layout, unit.most_threads, facts.streams
        self.regs.vector.special = lambda: packed_ids(self.x)
        self.nodes: dict[Key, Node] = {}
        self.pending: list[Key] = []
        self.current = Node(Block("start"))
        self.shaped = graph.instructions <= SHAPE_LIMIT and not unit.quick
        self.dual = graph.instructions <= DUAL_LIMIT and len(graph.blocks) <= DUAL_BLOCKS and not unit.quick
        self.late = facts.late if self.dual and piece is None else barriers.Late()
        self.owes = 0
        self.x.compact = graph.instructions > COMPACT_LIMIT
        self.yields = False
        self.debug_lines: dict[int, None] = {}
        self._late: list[tuple[Block, Block, int]] = []
        self._spin_edges = spins.find(self.graph)
        self._leave: Block | None = None

    @property
    def name(self) -> str:
        """Symbol of the LLVM function."""
        name = function_name(self.graph.entry)
        return name if self.piece is None else f"{name}.p{self.piece.number}"

    @property
    def parameters(self) -> str:
        """Parameters of the LLVM function."""
        return "ptr noalias nonnull %wave" + (", i64 %at" if self.piece is not None else "")

    @property
    def files(self) -> list[Registers]:
        """The register files that the function keeps."""
        return [self.regs]

    # -- driving ---------------------------------------------------------------------------------------------

    def lift(self) -> None:
        """Translate every reachable block."""
        facts = self.facts
        self.regs.vector.paired, self.regs.scalar.paired = facts.vector_pairs, facts.scalar_pairs
        roots = [self.current]
        self._begin(self.current)
        self._at(self.graph.entry)
        if self.piece is not None:
            roots.append(self._resume(self.piece))
        if self.piece is None or self.piece.number == 0:
            self._enter()
        self._end(self.current)
        while self.pending:
            address, full, _ = key = heapq.heappop(self.pending)
            node = self.nodes[key]
            node.waiting = False
            self._begin(node)
            self.x.full = full
            if node.owes and address not in self.late.blocks:
                self._settle(node.owes)
                self._flush()
                self.b.branch(self.node(address, full))
            else:
                self._block(self.graph.blocks[address])
            self._end(node)
        nodes = [*roots, *self.nodes.values()]
        for node in nodes:
            self._reconcile(node)
        self.b.blocks = [block for node in nodes for block in node.blocks]
        if self._leave is not None:
            self.b.blocks.append(self._leave)

    def _enter(self) -> None:
        """Begin the function: a kernel in its initial state, others with the registers of their caller."""
        if self.kernel is None:
            self.b.line(";LOAD")
        else:
            self._kernel_state(self.kernel)
            if self.piece is not None:  # what other pieces read and nobody has written must not be left to chance
                for r in pieces.scalars(self.graph):
                    self.regs.scalar.touch(r)
                for r in range(self.x.vgprs + 256):
                    if self.facts.live[self.graph.entry] >> r & 1:
                        self.regs.vector.touch(r)
        self._choose(self.graph.entry)

    def _resume(self, piece: Piece) -> Node:
        """A node that goes on at the block which ``%at`` names; the current one ends with the way to it."""
        node, start = Node(self.b.new_block("resume")), self.current
        at = Val(self.b, "%at", "u", 64, 0)
        fresh = self.b.new_block("fresh")
        if piece.number == 0:
            self.b.cond_branch(at.eq(0), fresh, node.head)
        else:
            self.b.branch(node.head)
        blocks = self.b.blocks
        self._begin(node)
        self.b.line(";LOAD")
        ways = [f"i64 {address}, label %{self.node(address, False).label}" for address in piece.entries]
        never = self.b.new_block("never")
        self.b.line(f"switch i64 %at, label %{never.label} [ {' '.join(ways)} ]")
        self.b.block.done = True
        self.b.begin(never)
        self.b.line("unreachable")
        self._end(node)
        self.b.blocks, self.current = blocks, start
        if piece.number == 0:
            self.b.begin(fresh)
        return node

    def _begin(self, node: Node) -> None:
        """Start translating a node, perhaps again."""
        node.head.lines, node.head.done = [], False
        node.successors, node.exits, node.hole = [], {}, []
        self.current = node
        self.owes = node.owes
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
            successor, live = self.nodes[key], self.facts.live[key[0]]
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
        wanted = {
            r
            for key in node.successors
            for r in node.exits
            if self.facts.live[key[0]] >> r & (3 if node.exits[r][0].kind != "word" else 1)
            and r not in (self.nodes[key].entry or {})
        }
        with self.b.fill(node.hole):
            self._materialise(node, wanted)

    def _materialise(self, node: Node, wanted: set[int]) -> None:
        bank = self.regs.vector
        bank.exits = node.exits
        for r in sorted(wanted):
            bank.materialise(r)

    def _at(self, address: int) -> None:
        self.debug_lines[address] = None
        self.b.debug = f", !dbg !D{address:x}"

    def node(self, address: int, full: bool) -> Block:
        """The LLVM block for a GPU block in one of its two versions."""
        key = (address, full and self.dual, bool(self.owes))
        if key not in self.nodes:
            name = f"{'full' if key[1] else 'part'}{'_owing' if key[2] else ''}_{address:x}"
            self.nodes[key] = Node(self.b.new_block(name), owes=self.owes)
            if self.piece is not None and address not in self.piece.blocks:
                self._elsewhere(self.nodes[key], address)
        self.current.successors.append(key)
        return self.nodes[key].head

    def _elsewhere(self, node: Node, address: int) -> None:
        """Make `node` the way out to a block of another piece, which wants all registers as vectors."""
        if self._leave is None:
            self._leave = self.b.new_block("leave")
            self._leave.lines += ["  ;SAVE", "  %goes = load i64, ptr %going, align 8", "  ret i64 %goes"]
        node.head.lines += [
            f"  store i64 {address | ELSEWHERE}, ptr %going, align 8",
            f"  br label %{self._leave.label}",
        ]
        node.entry, node.blocks = {}, [node.head]

    def _flush(self) -> None:
        """Store the registers at the end of a node; what successors want of it besides comes when all are known."""
        self.regs.flush()
        self.current.hole = self.b.hole()

    def _block(self, block: cfg.BasicBlock) -> None:
        x, keep, semantics = self.x, self.facts.keep, self.facts.semantics
        for inst in block.insts:
            self._at(inst.address)
            x.keep = keep[inst.address]
            if self._control(inst):
                return
            if inst.parts:
                self._dual_issue(inst)
                continue
            if inst.op in barriers.BARRIERS and self._put_off(inst.address):
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

    def _put_off(self, barrier: int) -> bool:
        """Owe a barrier; False where it is to be waited at, what was owed before being settled."""
        if barrier not in self.late.barriers:
            if self.owes:
                self._settle(self.owes)
                self._at(barrier)
            return False
        barriers.owe(self.b, more=self.owes != 0)
        self.owes = barrier
        return True

    def _settle(self, last: int) -> None:
        """Wait at the barriers that are owed."""
        self._at(last)
        barriers.wait(self.b)
        self.owes = 0

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
        if name in ("execz", "execnz") and x.full:
            self._jump(inst, target if name == "execnz" else follow)
            return
        cond = self._condition(name, inst)
        if name in ("scc0", "vccz", "execz"):
            target, follow = follow, target
        yes, no = self._edge(inst, target), self._edge(inst, follow)
        self.b.cond_branch(cond, yes, no)
        self._finish_edges()

    def _condition(self, name: str, inst: Instruction) -> Val:
        """What a branch tests: SCC, or whether VCC or EXEC are not 0."""
        if name in ("scc0", "scc1"):
            return self.regs.scc()
        if name in ("vccz", "vccnz"):
            vcc = self.regs.scalar.read_pair(VCC) if self.x.W == 64 else self.regs.scalar.read(VCC)
            return vcc.ne(0)
        if name in ("execz", "execnz"):
            return self.regs.exec().ne(0)
        raise self.x.unsupported(inst)

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
        loop, again, done, ended, resume = (b.new_block(n) for n in ("ret", "again", "back", "ended", "resume"))
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
        loop.lines[phi_line] = f"  {ref} = phi i64 [ {first.ref}, %{origin.label} ], [ {second.ref}, %{resumed.label} ]"
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
        load, save = spill.code(self.regs)
        lines = self.b.text().split("\n")
        for i, line in enumerate(lines):
            if line in ("  ;SAVE", "  ;LOAD"):
                lines[i] = (save if line == "  ;SAVE" else load).replace("#", f".{i}")
        body = "\n".join(lines)
        first_piece = self.piece is None or self.piece.number == 0
        zeroed = self.files if self.kernel is not None and first_piece else []
        zero = [each for file in zeroed for each in file.zeroes()]
        arrays = [f"  %{n} = alloca [{s} x i8], align 64" for n, s in self.x.arrays.items()]
        slots = "\n".join(
            [
                *(each for file in self.files for each in file.slots()),
                *arrays,
                "  %spins = alloca i32, align 4",
                "  store i32 0, ptr %spins, align 4",
                "  %owed = alloca i32, align 4",
                *(["  %going = alloca i64, align 8"] if self.piece is not None else []),
                *zero,
            ]
        )
        first = self.b.blocks[0].label
        return (
            f"define internal i64 @{self.name}({self.parameters}) "
            f"{'noinline ' if ',' in self.parameters else ''}#0 !dbg !F{self.graph.entry:x} {{\n"
            f"slots:\n{slots}\n  br label %{first}\n{body}\n}}\n"
        )


__all__ = ["DUAL_LIMIT", "END", "M0", "FunctionLifter", "Unit", "function_name"]
