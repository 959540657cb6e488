"""In which order a block's instructions go when its lane-wise ones are taken chunk by chunk.

The lane-wise instructions of a block are gathered into as few *phases* as their operands and the order of memory
accesses allow: everything else that a phase needs stands before it, everything that needs its results after it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from softrock.jit.tile_parse import BITS, Op


class Masks:
    """Lane masks that a block computes as integers: ``bitcast <N x i1> to iN``, and bit operations on such.

    Where the bits are turned into lanes again, the lanes can be had without packing.
    """

    LIMIT = 8

    def __init__(self) -> None:
        self._of: dict[str, tuple[str, str, str]] = {}

    def note(self, op: Op, lanes: str) -> None:
        """Remember what an instruction contributes."""
        _, _, body = op.line.partition(" = ")
        word, _, rest = body.partition(" ")
        if word == "bitcast" and rest.startswith(f"<{lanes} x i1> %"):
            source, _, to = rest.partition(", !")[0].partition(" to ")
            if to == f"i{lanes}":
                self._of[op.name] = ("pack", source.partition("> ")[2], "")
        elif word in ("and", "or", "xor"):
            operands = rest.partition(", !")[0].removeprefix("disjoint ")
            kind, _, pair = operands.partition(" ")
            left, _, right = pair.partition(", ")
            if kind == f"i{lanes}" and (left in self._of or right in self._of):
                self._of[op.name] = (word, left, right)

    def packed(self, name: str) -> str | None:
        """The vector behind an integer that is just its bits."""
        found = self._of.get(name)
        return found[1] if found is not None and found[0] == "pack" else None

    def pair(self, name: str) -> tuple[str, str, str] | None:
        """(operation, left, right) behind an integer."""
        found = self._of.get(name)
        return found if found is not None and found[0] != "pack" else None

    def leaves(self, name: str) -> list[str]:
        """What the lanes of an integer can be computed from: vectors that were packed, and other integers."""
        out: list[str] = []
        todo = [name]
        while todo:
            at = todo.pop()
            found = self._of.get(at)
            if found is None:
                out.append(at)
            elif found[0] == "pack":
                out.append(found[1])
            else:
                todo += found[1:]
            if len(out) + len(todo) > self.LIMIT:
                return [name]
        return [each for each in out if each[0] == "%"]


def set_levels(ops: Sequence[Op], masks: Masks, lanes: str) -> None:
    """Give every instruction its level: what is not lane-wise goes before the lane-wise ones of the same level."""
    level: dict[str, int] = {}
    wise: set[str] = set()
    last_write = reads = loads = 0
    for op in ops:
        at = 0
        if op.kind == "T":
            if op.form == "unmask":
                op.uses = masks.leaves(op.operands[0][0])
            for use in op.uses:
                here = level.get(use, 0) + (op.form == "splat" and use in wise)
                at = max(at, here)
            if op.form in ("load", "trap"):
                at = max(at, last_write)
                if op.form == "load":
                    loads = max(loads, at + 1)
            wise.add(op.name)
        else:
            for use in op.uses:
                here = level.get(use, 0) + (use in wise)
                at = max(at, here)
            if op.kind == "W":
                at = last_write = max(at, last_write, reads, loads)
            elif op.kind == "R":
                at = max(at, last_write)
                reads = max(reads, at)
            else:
                masks.note(op, lanes)
        op.level = at
        if op.name:
            level[op.name] = at


def sink(ops: Sequence[Op], kept: Mapping[str, int]) -> None:
    """Move lane-wise instructions later, to their first use, where that does not keep more values alive.

    Args:
        kept: how often each name occurs in the whole function.
    """
    users: dict[str, list[Op]] = {}
    for op in ops:
        for use in op.uses:
            users.setdefault(use, []).append(op)
    writes: list[int] = []
    for op in ops:
        if op.kind == "W":
            writes.append(op.level)
    ahead = len(writes)
    for op in reversed(ops):
        if op.kind == "W":
            ahead -= 1
        if op.kind != "T":
            continue
        mine = users.get(op.name)
        if not mine or kept.get(op.name, 0) - 1 > len(mine):
            continue
        target = min(user.level - (user.kind != "T" or user.form == "splat") for user in mine)
        if op.form == "load" and ahead < len(writes):
            target = min(target, writes[ahead] - 1)
        if target <= op.level:
            continue
        # An operand that nothing else keeps alive that long would only take this one's place.
        extended = 0
        for use in set(op.uses):
            others = [user.level for user in users[use] if user is not op]
            if kept.get(use, 0) - 1 == len(users[use]) and (not others or max(others) < target):
                extended += 1
        if extended <= (op.form not in ("load", "invariant")):
            op.level = target


def peak(phase: Sequence[Op], width: Mapping[str, int]) -> int:
    """The most registers that the phase's values take at one time, operation after operation.

    Args:
        width: registers that a value of an element type takes.
    """
    last: dict[str, int] = {}
    for at, op in enumerate(phase):
        for use in op.uses:
            last[use] = at
    size: dict[str, int] = {}
    made = {op.name for op in phase}
    now = 0
    for op in phase:
        for operand, elem in op.operands:
            if elem and operand[0] == "%" and operand not in made and operand not in size:
                size[operand] = width[elem]
                now += width[elem]
    most = now
    for at, op in enumerate(phase):
        size[op.name] = 1 if op.form == "splat" else width[op.elem]
        now += size[op.name]
        most = max(most, now)
        for use in set(op.uses):
            if last[use] == at:
                now -= size.get(use, 0)
    return most


def widths(lanes: int, bits: int, mask_registers: bool) -> dict[str, int]:
    """Registers that a vector takes, by element type.

    Args:
        bits: of a register of the host.
        mask_registers: the host keeps lane masks elsewhere.
    """
    out = {elem: max(1, -(-lanes * size // bits)) for elem, size in BITS.items()}
    out["i1"] = 0 if mask_registers else out["i32"]
    return out


_LATENCY = {
    "fma": 4,
    "fmul": 3,
    "fadd": 3,
    "fsub": 3,
    "fdiv": 11,
    "sqrt": 15,
    "mul": 4,
    "load": 5,
    "fptosi": 4,
    "sitofp": 4,
}
"""Cycles until a result is there, roughly the same on today's processors; 1 where nothing is said."""

_WINDOW = 100
"""Vector instructions that a processor looks ahead over for some whose operands are there."""

_PARALLEL = 2.5
"""Vector instructions that should be on their way at a time."""


def group_of(phase: Sequence[Op], width: Mapping[str, int], registers: int, crossing: int) -> int:
    """How many chunks of a phase should go side by side; 0: it is better left operation by operation.

    Chunk by chunk, intermediate results stay in registers, but what is next in line waits for what is right before it.
    The processor looks over such a chain to the next chunk's where it is short. A long one gets on only if there is
    enough to do beside it: in the chain's chunk itself, or in another one that is interleaved.

    Args:
        width: registers that a whole value of an element type takes.
        registers: of the host.
        crossing: lane masks that enter or leave the phase as vectors.
    """
    if peak(phase, width) <= registers:
        return 0
    ready: dict[str, int] = {}
    number = longest = 0
    for op in phase:
        name = _operation(op)
        free = name in ("bitcast", "splat", "freeze", "unmask")
        at = max((ready.get(use, 0) for use in op.uses), default=0) + (0 if free else _LATENCY.get(name, 1))
        ready[op.name] = at
        longest = max(longest, at)
        number += -1 if name == "splat" else not free  # read again for every chunk
    if number < _LEAST + _CROSSING * crossing:
        return 0
    if max(_WINDOW, number) >= _PARALLEL * longest:
        return 1
    one = dict.fromkeys(width, 1)
    if 2 * number >= _PARALLEL * longest and 2 * peak(by_demand(phase), one) <= registers + 4:
        return 2
    return 0


_LEAST = 8
_CROSSING = 8


def _operation(op: Op) -> str:
    if op.form == "call":
        return op.parts[0].partition("@llvm.")[2].partition(".")[0]
    if op.form in ("bin", "cast", "un", "trap"):
        return op.parts[0].partition(" ")[0]
    return "load" if op.form == "invariant" else op.form


def chunk_lanes(phase: Sequence[Op], lanes: int, bits: int) -> int:
    """Lanes of a chunk: the number with which the phase takes the fewest instructions, the smallest of those."""
    count: dict[int, int] = {}
    for op in phase:
        size = max([BITS[op.elem], *(BITS[elem] for _, elem in op.operands if elem)])
        if size == 1:
            continue
        count[size] = count.get(size, 0) + 1
    best, fewest = bits // 32, 0
    size = lanes // 2
    while count and size >= max(2, bits // 64):
        total = sum(max(1, -(-size * each // bits)) * many for each, many in count.items()) * (lanes // size)
        if not fewest or total <= fewest:
            best, fewest = size, total
        size //= 2
    return best


def by_demand(phase: Sequence[Op]) -> list[Op]:
    """An order in which few values are alive: each result's operands right before it, and whatever ends a value's life
    as soon as it can go."""
    made = {op.name: op for op in phase}
    users: dict[str, list[Op]] = {}
    missing: dict[str, int] = {}
    left: dict[str, int] = {}
    depth: dict[str, int] = {}
    order: dict[str, list[str]] = {}
    for op in phase:
        inner = list(dict.fromkeys(use for use in op.uses if use in made))
        missing[op.name] = len(inner)
        for use in set(op.uses):
            left[use] = left.get(use, 0) + 1
        for use in inner:
            users.setdefault(use, []).append(op)
        # The longest chain first: accumulators go ahead, so that what is added to them can be added at once.
        depth[op.name] = 1 + max((depth.get(use, 0) for use in op.uses), default=0)
        order[op.name] = sorted(inner, key=lambda use: -depth[use])
    out: list[Op] = []
    done: set[str] = set()

    def emit(first: Op) -> None:
        ready = [first]
        while ready:
            op = ready.pop()
            if op.name in done:
                continue
            done.add(op.name)
            out.append(op)
            for use in set(op.uses):
                left[use] -= 1
            mine = users.get(op.name, ())
            for user in mine:
                missing[user.name] -= 1
            for user in reversed(mine):
                if not missing[user.name] and any(left[use] == 1 for use in user.uses):
                    ready.append(user)

    for root in phase:
        if root.name in users:
            continue
        stack: list[tuple[Op, int]] = [(root, 0)]
        while stack:
            op, at = stack.pop()
            if op.name in done:
                continue
            below = order[op.name]
            if at < len(below):
                stack.append((op, at + 1))
                if below[at] not in done:
                    stack.append((made[below[at]], 0))
            else:
                emit(op)
    return out
