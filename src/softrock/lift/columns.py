"""Which kernels run several workgroups of a column (neighbours in y) in one pass, and what these share.

A loop that walks down a matrix loads the same lines in every workgroup of a column; where rows are a multiple of a
page apart, these lines meet in one set of the host's first cache and come one after the other. Workgroups that go
through the loop together load them once.

Their control flow must be the same. It is compared when it runs: where the conditions of a branch differ, or lanes are
off, the workgroups begin again, one after the other (:mod:`softrock.lift.column_lifter`). So nothing that others can
see may happen before a branch, which is what :func:`most_rows` makes sure of.

`own` sets hold what may differ between the workgroups: vector registers by number, SGPRs from `SGPRS` on, and SCC.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from softrock.codeobj import Kernel
from softrock.decode.instruction import Instruction, Kind, Operand
from softrock.lift import liveness, registry
from softrock.lift.cfg import END_OPS, Function, writes_exec
from softrock.lift.registry import Semantic
from softrock.lift.regs import M0, VCC

SGPRS = 512
"""Place of SGPR 0 in a set."""

SCC = 1 << 700

_VECTORS = (1 << SGPRS) - 1

MOST_INSTRUCTIONS = 400
"""Longer kernels are left alone: their code stands several times in a pass."""

MOST_BYTES = 8 * MOST_INSTRUCTIONS
"""Code that is longer is not even looked at."""

MOST_ROWS = 8

_TTMP_YZ = 115
MOST_VECTORS = 16
"""Host registers for what the workgroups do not share. Hosts with AVX2 have no more than these, but what is spilled
costs less than what sharing saves."""

_QUIET = (
    "s_nop",
    "s_waitcnt",
    "s_wait_",
    "s_clause",
    "s_delay_alu",
    "s_set_inst_prefetch_distance",
    "s_inst_prefetch",
)
"""Instructions that do nothing here."""

_ODD = ("s_getreg", "s_setreg", "s_getpc", "s_set_gpr", "s_round", "s_denorm", "s_movrel", "v_movrel")
"""What depends on more than registers, or names registers by numbers in others."""

_BRANCHES = ("s_branch", "s_cbranch_scc", "s_cbranch_vcc", "s_cbranch_exec")
_COHERENT = ("glc", "sc0", "sc1", "dlc", "scope")
_ALU = frozenset(("SOP1", "SOP2", "SOPC", "SOPK", "VOP1", "VOP2", "VOP3", "VOPC", "VOPD"))


def _scalars(op: Operand) -> int:
    ones = (1 << op.dwords) - 1
    match op.kind:
        case Kind.SGPR:
            return ones << (SGPRS + op.index)
        case Kind.M0:
            return 1 << (SGPRS + M0)
        case Kind.SPECIAL if op.name in ("scc", "vccz"):
            return SCC if op.name == "scc" else 3 << (SGPRS + VCC)
        case _:
            return 0


@dataclass(frozen=True, slots=True)
class Step:
    """What an instruction reads and writes, as sets.

    Attributes:
        apart: it must be carried out for each workgroup, whatever it reads.
    """

    reads: int
    writes: int
    apart: bool

    def own(self, before: int) -> int:
        """The set behind the instruction."""
        if self.apart or before & self.reads:
            return before | self.writes
        return before & ~self.writes

    def shared(self, before: int) -> bool:
        """Whether one of the workgroups does it for all."""
        return not self.apart and not before & self.reads


def step_of(inst: Instruction, semantic: Semantic | None) -> Step:
    """The effect of one instruction."""
    if inst.parts:
        halves = [step_of(part, registry.lookup(part.op)) for part in inst.parts]
        reads, writes = halves[0].reads | halves[1].reads, halves[0].writes | halves[1].writes
        return Step(reads, writes, halves[0].apart or halves[1].apart)
    vectors = liveness.effect(inst, semantic)
    reads, writes = vectors.reads, vectors.writes
    for op in inst.src:
        reads |= _scalars(op)
    for op in inst.dst:
        writes |= _scalars(op)
    if semantic is None or writes_exec(inst):
        return Step(reads | SCC, writes | SCC, True)
    if semantic.reads_dst:
        reads |= writes
    if any(token.role == "scc" for token in semantic.ins):
        reads |= SCC
    if any(token.role == "scc" for token in semantic.outs):
        writes |= SCC
    if inst.op.startswith("v_div_fmas"):
        reads |= 3 << (SGPRS + VCC)
    if semantic.form == "raw" and inst.format.startswith("SOP"):  # what these do to SCC is not in their signature
        return Step(reads | SCC, writes | SCC, True)
    return Step(reads, writes, inst.format == "GLOBAL" and "_store_" in inst.op)


@dataclass(frozen=True, slots=True)
class Shares:
    """What the workgroups of a column share.

    Attributes:
        steps: of each instruction, by address. before: the own set at each instruction. at: that at each block.
        behind: that at the end of each block.
    """

    steps: dict[int, Step]
    before: dict[int, int]
    at: dict[int, int]
    behind: dict[int, int]


def shares(function: Function, semantics: Mapping[int, Semantic | None], kernel: Kernel) -> Shares:
    """Solve for the own sets, forwards from the kernel's initial registers."""
    steps = {
        inst.address: step_of(inst, semantics[inst.address])
        for block in function.blocks.values()
        for inst in block.insts
    }
    start = 0
    for name, first, size in kernel.initial_sgprs():
        if name == "workgroup_id_y":
            start |= ((1 << size) - 1) << (SGPRS + first)
    if kernel.workgroup_ids_in_ttmp:
        start |= 1 << (SGPRS + _TTMP_YZ)
    at = {function.entry: start}
    work = [function.entry]
    while work:
        address = work.pop()
        own = at[address]
        for inst in function.blocks[address].insts:
            own = steps[inst.address].own(own)
        for successor in function.blocks[address].successors:
            known = at.get(successor)
            if known is None or own | known != known:
                at[successor] = own if known is None else own | known
                work.append(successor)
    before: dict[int, int] = {}
    behind: dict[int, int] = {}
    for address, own in at.items():
        for inst in function.blocks[address].insts:
            before[inst.address] = own
            own = steps[inst.address].own(own)
        behind[address] = own
    return Shares(steps, before, at, behind)


def _allowed(inst: Instruction, semantic: Semantic | None) -> bool:
    """Whether the instruction may stand in a kernel whose workgroups run together: it computes, loads plainly,
    branches, or stores."""
    op = inst.op
    if op in END_OPS or op.startswith(_BRANCHES) or op.startswith(_QUIET):
        return True
    if any(o.kind is Kind.AGPR for o in (*inst.dst, *inst.src)):
        return False
    if inst.parts:
        return all(_allowed(part, registry.lookup(part.op)) for part in inst.parts)
    if semantic is None or any(inst.mod(name) for name in _COHERENT):
        return False
    if inst.format == "SMEM":
        return op.startswith("s_load_")
    if inst.format == "GLOBAL":
        return ("_load_" in op or "_store_" in op) and "lds" not in op and not inst.mod("lds")
    return inst.format in _ALU and not op.startswith(_ODD) and not _reads_special(inst)


def _reads_special(inst: Instruction) -> bool:
    return any(o.kind is Kind.SPECIAL and o.name not in ("scc", "vccz", "execz") for o in inst.src)


def _reachable(function: Function, start: int) -> set[int]:
    """Blocks that may run behind the block, itself among them where it stands in a loop."""
    found: set[int] = set()
    work = list(function.blocks[start].successors)
    while work:
        address = work.pop()
        if address not in found:
            found.add(address)
            work.extend(function.blocks[address].successors)
    return found


def _loops(function: Function) -> list[set[int]]:
    """The blocks of each loop, with those of the loops in it."""
    reach = {address: _reachable(function, address) for address in function.blocks}
    out: list[set[int]] = []
    for address, found in reach.items():
        if address in found and not any(address in loop for loop in out):
            out.append({each for each in found if address in reach[each]})
    return out


def _branching(insts: Iterator[Instruction]) -> bool:
    return any(inst.op.startswith("s_cbranch") or writes_exec(inst) for inst in insts)


def _starts_over(function: Function) -> bool:
    """Whether every branch can still be taken back: no store may have run before one."""
    for address, block in function.blocks.items():
        stores = [k for k, inst in enumerate(block.insts) if "_store_" in inst.op]
        if not stores:
            continue
        behind = _reachable(function, address)
        if address in behind or _branching(iter(block.insts[stores[0] :])):
            return False
        if any(_branching(iter(function.blocks[each].insts)) for each in behind):
            return False
    return True


def _own_data(function: Function, loop: set[int], found: Shares, live: Mapping[int, int]) -> int:
    """Vector registers of a loop's data that each workgroup has for itself. Addresses do not count: they are mostly
    scalars on the host."""
    insts = [inst for address in loop for inst in function.blocks[address].insts]
    used = addresses = 0
    for inst in insts:
        used |= found.steps[inst.address].reads | found.steps[inst.address].writes
        place = inst.get("vaddr")
        if place is not None and place.kind is Kind.VGPR:
            addresses |= ((1 << place.dwords) - 1) << place.index
    before = 0
    while before != addresses:
        before = addresses
        for inst in insts:
            step = found.steps[inst.address]
            if step.writes & addresses & _VECTORS and inst.format != "GLOBAL":
                addresses |= step.reads & _VECTORS
    data = used & ~addresses & _VECTORS
    return max((found.at[address] & live[address] & data).bit_count() for address in loop)


def most_rows(
    function: Function,
    semantics: Mapping[int, Semantic | None],
    live: Mapping[int, int],
    kernel: Kernel,
    wide: bool,
) -> int:
    """How many workgroups of a column should run together at most, a power of two; 1 for none.

    Args:
        live: vector registers that may be read in each block or behind it (:func:`softrock.lift.liveness.solve`).
        wide: the host has AVX-512.
    """
    if function.instructions > MOST_INSTRUCTIONS or function.calls or function.indirect or function.returns:
        return 1
    if kernel.private_segment_size or kernel.uses_dynamic_stack or kernel.group_segment_size:
        return 1
    if any(name in ("dispatch_ptr", "queue_ptr", "dispatch_id") for name, _, _ in kernel.initial_sgprs()):
        return 1
    if not all(_allowed(i, semantics[i.address]) for block in function.blocks.values() for i in block.insts):
        return 1
    loops = _loops(function)
    if not loops or not _starts_over(function):
        return 1
    if any(writes_exec(inst) for loop in loops for address in loop for inst in function.blocks[address].insts):
        return 1
    found = shares(function, semantics, kernel)
    inside = set().union(*loops)
    loads = [
        found.steps[inst.address].shared(found.before[inst.address])
        for address in inside
        for inst in function.blocks[address].insts
        if inst.format == "GLOBAL" and "_load_" in inst.op
    ]
    if not loads or 2 * sum(loads) < len(loads):
        return 1
    vectors = max(_own_data(function, loop, found, live) for loop in loops)
    each = max(vectors, 1) * kernel.wavefront_size * 32 // (512 if wide else 256)
    most = 1
    while 2 * most <= MOST_ROWS and 2 * most * each <= MOST_VECTORS:
        most *= 2
    return most
