"""Where EXEC is the kernel's initial EXEC, in kernels that never turn on other lanes.

Lanes that are off when a kernel starts hold undefined values. If every mask that the kernel puts into EXEC is a subset
of the initial one (compares give 0 in inactive lanes, so that most are), then a write under the initial EXEC need not
keep the old values of inactive lanes: no later EXEC reads them. Solved forwards over the scalar registers:

* ``subset``: words of masks that are subsets of the initial EXEC;
* ``whole``: words that are equal to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from softrock.decode.instruction import Instruction, Kind, Operand
from softrock.lift.cfg import Function, writes_exec
from softrock.lift.registry import Semantic

_EXEC = 126

_SUBSET: dict[str, Callable[[bool, bool], bool]] = {
    "and": lambda a, b: a or b,
    "or": lambda a, b: a and b,
    "xor": lambda a, b: a and b,
    "and_not1": lambda a, b: a,
    "andn2": lambda a, b: a,
    "and_not0": lambda a, b: b,
    "andn1": lambda a, b: b,
    "mov": lambda a, b: a,
    "cselect": lambda a, b: a and b,
}
"""Whether ``op(a, b)`` is a subset where a and b are or are not."""


@dataclass(frozen=True, slots=True)
class _State:
    exec_whole: bool
    subset: int
    whole: int

    def meet(self, other: _State) -> _State:
        return _State(
            self.exec_whole and other.exec_whole, self.subset & other.subset, self.whole & other.whole
        )


def _words(op: Operand) -> int:
    if op.kind is Kind.SGPR:
        return ((1 << op.dwords) - 1) << op.index
    return 0


class _Flow:
    def __init__(self, semantics: Mapping[int, Semantic | None], lanes: int) -> None:
        self.semantics = semantics
        self.bits = f"_b{lanes}"
        self.exceeded = False

    def subset(self, s: _State, op: Operand) -> bool:
        if op.kind is Kind.EXEC or (op.kind is Kind.INT and op.value == 0):
            return True
        words = _words(op)
        return bool(words) and s.subset & words == words

    def whole(self, s: _State, op: Operand) -> bool:
        if op.kind is Kind.EXEC:
            return s.exec_whole and op.index == _EXEC  # the high half alone holds nothing in waves of 32
        words = _words(op)
        return bool(words) and s.whole & words == words

    def _logic(self, s: _State, stem: str, a: Operand, b: Operand) -> tuple[bool, bool]:
        """(subset, whole) of a two-source operation."""
        subset = _SUBSET[stem](self.subset(s, a), self.subset(s, b)) if stem in _SUBSET else False
        both = self.whole(s, a), self.whole(s, b)
        whole = False
        if stem in ("and", "cselect"):
            whole = all(both)
        elif stem == "or":
            whole = subset and any(both)
        elif stem == "mov":
            whole = both[0]
        return subset, whole

    def step(self, s: _State, inst: Instruction) -> _State:
        op = inst.op
        exec_op = Operand("exec", Kind.EXEC, _EXEC, 2)
        written = 0
        for d in inst.dst:
            written |= _words(d)
        for part in inst.parts or ():
            for d in part.dst:
                written |= _words(d)
        subset, whole, exec_whole = s.subset & ~written, s.whole & ~written, s.exec_whole
        stem = op[2 : -len(self.bits)] if op.startswith("s_") and op.endswith(self.bits) else ""
        if stem.endswith(("_saveexec", "_wrexec")):
            base = stem.rsplit("_", 1)[0]
            made, same = self._logic(s, base, inst.src[0], exec_op)
            self.exceeded |= not made
            exec_whole = same
            saved = stem.endswith("_saveexec")
            words = _words(inst.dst[0])
            if saved or made:
                subset |= words
            if s.exec_whole if saved else same:
                whole |= words
        elif stem and (stem in _SUBSET) and inst.dst:
            sources = inst.src if len(inst.src) > 1 else (inst.src[0], inst.src[0])
            made, same = self._logic(s, stem, sources[0], sources[1])
            if inst.dst[0].kind is Kind.EXEC:
                if inst.dst[0].index == _EXEC:
                    self.exceeded |= not made
                    exec_whole = same
            else:
                words = _words(inst.dst[0])
                subset |= words if made else 0
                whole |= words if same else 0
        elif op.startswith("v_cmp"):
            # Compares write 0 for inactive lanes; v_cmpx sets EXEC to the same.
            for d in inst.dst:
                subset |= _words(d)
            if writes_exec(inst):
                exec_whole = False
        elif writes_exec(inst):
            self.exceeded = True
        else:
            semantic = self.semantics.get(inst.address)
            if semantic is not None:
                for token, d in zip(semantic.outs, inst.dst, strict=False):
                    if token.role == "mask":
                        subset |= _words(d)
        return _State(exec_whole, subset, whole)


def whole_points(function: Function, semantics: Mapping[int, Semantic | None], lanes: int) -> set[int]:
    """Addresses of the instructions before which EXEC is the kernel's initial one, empty where the kernel may turn
    other lanes on. `function` is a kernel; one that calls or is left by computed jumps gives nothing."""
    if function.calls or function.indirect or function.returns:
        return set()
    flow = _Flow(semantics, lanes)
    states = {function.entry: _State(True, 0, 0)}
    work = [function.entry]
    while work:
        address = work.pop()
        state = states[address]
        for inst in function.blocks[address].insts:
            state = flow.step(state, inst)
        for successor in function.blocks[address].successors:
            before = states.get(successor)
            after = state if before is None else before.meet(state)
            if after != before:
                states[successor] = after
                work.append(successor)
    # Only the final states count: on the way to them more was assumed than holds.
    flow.exceeded = False
    points: set[int] = set()
    for address, state in states.items():
        for inst in function.blocks[address].insts:
            if state.exec_whole:
                points.add(inst.address)
            state = flow.step(state, inst)
    return set() if flow.exceeded else points
