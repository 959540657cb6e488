"""From code bytes to a control-flow graph of decoded instructions, one GPU function at a time.

Blocks end at branches, calls, and wherever EXEC may change, since the translator decides there whether all lanes are
on. Addresses made by ``s_getpc_b64`` plus constants are followed, so that direct calls and far jumps are known
statically.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from softrock.core.errors import CodeObjectError
from softrock.decode.instruction import Instruction, Kind

END_OPS = frozenset(("s_endpgm", "s_endpgm_saved", "s_endpgm_ordered_ps_done"))
MAY_NOT_RETURN = frozenset(("s_trap", "s_swappc_b64", "s_call_b64"))
_NARROW = frozenset(
    f"{op}_{w}"
    for w in ("b32", "b64")
    for op in ("s_and_saveexec", "s_and_not0_saveexec", "s_and_not0_wrexec")
)
"""``exec & src`` and ``exec & ~src``-like forms. s_and_not1_saveexec is ``src & ~exec``: it may turn lanes on."""


def writes_exec(inst: Instruction) -> bool:
    """Whether the instruction may change EXEC."""
    op = inst.op
    if "saveexec" in op or "wrexec" in op or op.startswith("v_cmpx"):
        return True
    return any(d.kind is Kind.EXEC for d in inst.dst)


def narrows_exec(inst: Instruction) -> bool:
    """Whether an EXEC write can only turn lanes off: EXEC itself is a factor of the conjunction."""
    op = inst.op
    if op in _NARROW or op.startswith("v_cmpx"):
        return True
    if op.startswith("s_and_not1_b"):
        return inst.src[0].kind is Kind.EXEC
    if op.startswith("s_and_b"):
        return any(s.kind is Kind.EXEC for s in inst.src)
    return False


@dataclass(slots=True)
class BasicBlock:
    """Instructions that run one after the other; `successors` are the addresses that may follow in this function."""

    start: int
    insts: list[Instruction] = field(default_factory=list)
    successors: list[int] = field(default_factory=list)

    @property
    def last(self) -> Instruction:
        return self.insts[-1]


@dataclass(slots=True)
class Function:
    """One GPU function's graph.

    Attributes:
        targets: address of a call or computed jump → code-object address it goes to, where that is known.
        calls: known callees. indirect: some call or jump goes to an address only known when it runs.
        returns: a computed jump leaves the function.
    """

    entry: int
    blocks: dict[int, BasicBlock]
    targets: dict[int, int]
    calls: set[int]
    indirect: bool
    returns: bool

    @property
    def instructions(self) -> int:
        return sum(len(b.insts) for b in self.blocks.values())


def in_loop(blocks: Mapping[int, BasicBlock], start: int) -> bool:
    """Whether a block may run more than once a call."""
    seen: set[int] = set()
    work = list(blocks[start].successors)
    while work:
        at = work.pop()
        if at == start:
            return True
        if at not in seen:
            seen.add(at)
            work += blocks[at].successors
    return False


class PcTracker:
    """Follows addresses inside the code object through s_getpc_b64, additions of constants and loads of known
    pointers."""

    def __init__(self, pointer_at: Callable[[int], int | None]) -> None:
        self.low: dict[int, int] = {}
        self.high: set[int] = set()
        self.pointer_at = pointer_at

    def pair(self, index: int) -> int | None:
        """The address in the SGPR pair, where known."""
        return self.low[index] if index in self.low and index + 1 in self.high else None

    def step(self, inst: Instruction) -> None:
        op = inst.op
        if op == "s_getpc_b64":
            self.low[inst.dst[0].index] = inst.end
            self.high.add(inst.dst[0].index + 1)
            return
        kept = None
        if (
            op in ("s_add_u32", "s_add_co_u32", "s_addc_u32", "s_add_co_ci_u32")
            and inst.dst
            and inst.dst[0].kind is Kind.SGPR
        ):
            kept = self._add(inst)
        elif (
            op == "s_add_nc_u64"
            and inst.src[0].kind is Kind.SGPR
            and inst.src[1].kind in (Kind.LITERAL, Kind.INT)
        ):
            base = self.pair(inst.src[0].index)
            if base is not None:
                value = inst.src[1].value
                self._set(
                    inst.dst[0].index,
                    base + (value - (1 << 32) if value >> 31 & 1 and value < 1 << 32 else value),
                )
                return
        elif op == "s_load_b64" and inst.get("sbase") is not None:
            sbase = inst.get("sbase")
            base = self.pair(sbase.index) if sbase is not None else None
            if base is not None and inst.get("soffset") is None:
                target = self.pointer_at(base + inst.mod("offset"))
                if target is not None:
                    self._set(inst.dst[0].index, target)
                    return
        elif op == "s_mov_b64" and inst.src[0].kind is Kind.SGPR and inst.dst[0].kind is Kind.SGPR:
            base = self.pair(inst.src[0].index)
            if base is not None:
                self._set(inst.dst[0].index, base)
                return
        for dst in inst.dst:
            if dst.kind is Kind.SGPR:
                for r in range(dst.index, dst.index + dst.dwords):
                    if r != kept:
                        self.low.pop(r, None)
                        self.high.discard(r)

    def _set(self, index: int, target: int) -> None:
        self.low[index] = target
        self.high.add(index + 1)

    def _add(self, inst: Instruction) -> int | None:
        dst, a, c = inst.dst[0].index, inst.src[0], inst.src[1]
        if c.kind not in (Kind.LITERAL, Kind.INT):
            a, c = c, a
        if a.kind is not Kind.SGPR or c.kind not in (Kind.LITERAL, Kind.INT):
            return None
        if inst.op in ("s_add_u32", "s_add_co_u32"):
            if a.index not in self.low:
                return None
            value = c.value & 0xFFFFFFFF
            self.low[dst] = self.low[a.index] + (value - (1 << 32) if value >> 31 else value)
            return dst
        if a.index not in self.high:
            return None
        self.high.add(dst)
        return dst


def build(
    entry: int,
    decode: Callable[[int], Instruction],
    bounds: tuple[int, int],
    pointer_at: Callable[[int], int | None],
) -> Function:
    """Discover a function from its entry.

    Args:
        decode: address → instruction (raises DecodeError).
        bounds: the function's code range; a known jump outside of it leaves the function.
        pointer_at: address → code-object address stored there (GOT slots), or None.

    Raises:
        CodeObjectError: control runs out of the function's code.
    """
    insts: dict[int, Instruction] = {}
    leaders = {entry}
    targets: dict[int, int] = {}
    indirect = returns = False
    calls: set[int] = set()
    work = [entry]
    dead_ends: set[int] = set()
    while work:
        address = work.pop()
        tracker = PcTracker(pointer_at)
        while address not in insts:
            if address == bounds[1] and address in dead_ends:
                # Behind a call or trap that does not return the compiler writes nothing.
                insts[address] = Instruction(address, 4, b"", "s_endpgm", "s_endpgm", "SOPP")
                break
            if not bounds[0] <= address < bounds[1]:
                raise CodeObjectError(f"control flow leaves the function's code at address 0x{address:x}")
            inst = decode(address)
            insts[address] = inst
            op = inst.op
            if op in MAY_NOT_RETURN:
                dead_ends.add(inst.end)
            follow: list[int] = []
            stop = False
            if op in END_OPS:
                stop = True
            elif op == "s_branch":
                follow, stop = [inst.src[0].value], True
            elif op.startswith("s_cbranch"):
                follow, stop = [inst.src[0].value, inst.end], True
            elif op in ("s_setpc_b64", "s_swappc_b64", "s_call_b64"):
                known = inst.src[0].value if op == "s_call_b64" else None
                if known is None and inst.src[0].kind is Kind.SGPR:
                    known = tracker.pair(inst.src[0].index)
                if known is not None:
                    targets[address] = known
                if op == "s_setpc_b64":
                    if known is not None and bounds[0] <= known < bounds[1] and known != entry:
                        follow = [known]
                    else:
                        returns = True
                        if known is not None:
                            calls.add(known)
                else:
                    follow = [inst.end]
                    if known is None:
                        indirect = True
                    else:
                        calls.add(known)
                stop = True
            elif writes_exec(inst):
                follow, stop = [inst.end], True
            tracker.step(inst)
            for target in follow:
                leaders.add(target)
                work.append(target)
            if stop:
                break
            address = inst.end
    return Function(entry, _cut(insts, leaders, targets, bounds, entry), targets, calls, indirect, returns)


def _cut(
    insts: dict[int, Instruction],
    leaders: set[int],
    targets: dict[int, int],
    bounds: tuple[int, int],
    entry: int,
) -> dict[int, BasicBlock]:
    blocks: dict[int, BasicBlock] = {}
    for leader in sorted(leaders):
        block = BasicBlock(leader)
        address = leader
        while True:
            inst = insts[address]
            block.insts.append(inst)
            op = inst.op
            if op in END_OPS:
                break
            if op == "s_branch":
                block.successors = [inst.src[0].value]
                break
            if op.startswith("s_cbranch"):
                block.successors = [inst.src[0].value, inst.end]
                break
            if op == "s_setpc_b64":
                known = targets.get(address)
                if known is not None and bounds[0] <= known < bounds[1] and known != entry:
                    block.successors = [known]
                break
            if op in ("s_swappc_b64", "s_call_b64") or writes_exec(inst) or inst.end in leaders:
                block.successors = [inst.end]
                break
            address = inst.end
        blocks[leader] = block
    return blocks
