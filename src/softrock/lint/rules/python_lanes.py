"""Lanes and masks in kernels that are written in Python (Numba, CuPy's jit)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from softrock.hipify.findings import Finding, Severity
from softrock.lint.file import File
from softrock.lint.python import Module, module, number
from softrock.lint.registry import Language, rule

# Sources: Numba's CUDA reference and CuPy's reference of cupyx.jit (functions, their first arguments and results).
_SHUFFLES = frozenset({"shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync"})
_MASKED = _SHUFFLES | {"ballot_sync", "all_sync", "any_sync", "eq_sync", "match_any_sync", "match_all_sync", "syncwarp"}
_NARROW_MASK = 0xFFFFFFFF
_DISTANCES = [16, 8, 4, 2, 1]


def _on_64(file: File) -> str:
    return ", ".join(each.gfx for each in file.with_wave(64))


def _calls(found: Module, names: frozenset[str] | set[str]) -> Iterator[tuple[str, ast.Call]]:
    """Calls of a module's functions, as in ``cuda.shfl_sync(…)``, by the last part of the name."""
    for node in found.nodes:
        if isinstance(node, ast.Call):
            owner, _, name = found.dotted(node.func).rpartition(".")
            if name in names and (owner.rpartition(".")[2] in ("cuda", "jit", "hip") or not owner):
                yield name, node


def _value(found: Module, node: ast.expr | None) -> int | None:
    """The value of a literal, or of a name that the file gives one literal only."""
    if isinstance(node, ast.Name):
        given = found.assigned.get(node.id, [])
        return number(given[0].value) if len(given) == 1 else None
    if isinstance(node, ast.Call) and len(node.args) == 1:  # np.uint32(0xffffffff)
        return number(node.args[0])
    return number(node)


@rule("python-mask-32-bits", Severity.WARNING, Language.PYTHON)
def python_mask_32_bits(file: File) -> Iterator[Finding]:
    """A mask of 32 lanes is passed to a function of whole waves in a Python kernel.

    Why:
        ``0xffffffff`` names the 32 lanes of a warp. On a GPU with 64 lanes a wave it names the lower half: what
        ``shfl_sync``, ``ballot_sync`` and ``syncwarp`` do with the upper half is undefined, or stops the program.

    Example:
        from numba import hip
        @hip.jit
        def total(x):
            x[0] = hip.shfl_down_sync(0xffffffff, x[hip.threadIdx.x], 1)

    Fix:
        from numba import hip
        @hip.jit
        def total(x):
            x[0] = hip.shfl_down_sync(0xffffffffffffffff, x[hip.threadIdx.x], 1)
    """
    on = _on_64(file)
    if not on:
        return
    found = module(file)
    for name, call in _calls(found, _MASKED):
        masks = [each.value for each in call.keywords if each.arg in ("mask", "membermask")] or call.args[:1]
        for mask in masks:
            if _value(found, mask) == _NARROW_MASK:
                yield file.finding(
                    "python-mask-32-bits",
                    *found.span(mask),
                    f"{name} names 32 lanes; a wave has 64 on {on}",
                    "pass a mask of 64 bits: 0xffffffffffffffff",
                )


@rule("python-reduction-of-32-lanes", Severity.ERROR, Language.PYTHON)
def python_reduction_of_32_lanes(file: File) -> Iterator[Finding]:
    """A reduction with shuffles in a Python kernel covers 32 lanes by its literal bounds.

    Why:
        A butterfly that starts at a distance of 16 joins 32 lanes. A wave has 64 on CDNA GPUs: lane 0 gets half of the
        sum.

    Example:
        from numba import hip
        @hip.jit(device=True)
        def warp_sum(value):
            offset = 16
            while offset > 0:
                value += hip.shfl_down_sync(0xffffffffffffffff, value, offset)
                offset //= 2
            return value

    Fix:
        from numba import hip
        @hip.jit(device=True)
        def warp_sum(value):
            offset = hip.warpsize // 2
            while offset > 0:
                value += hip.shfl_down_sync(0xffffffffffffffff, value, offset)
                offset //= 2
            return value
    """
    on = _on_64(file)
    if not on:
        return
    found = module(file)
    told: set[ast.AST] = set()
    for name, call in _calls(found, _SHUFFLES - {"shfl_sync"}):
        distance = call.args[2] if len(call.args) > 2 else None
        if not isinstance(distance, ast.Name):
            continue
        place = _starts_at_16(found, call, distance.id)
        if place is not None and place not in told:
            told.add(place)
            yield file.finding(
                "python-reduction-of-32-lanes",
                *found.span(place),
                f"the reduction with {name} joins 32 lanes; a wave has 64 on {on}, half of them are left out",
                "start at half of the warp size",
            )
    yield from _unrolled(file, found, on)


def _starts_at_16(found: Module, call: ast.Call, name: str) -> ast.expr | None:
    """Where a loop's variable around a shuffle starts at 16: the value it is given, or the numbers it goes through."""
    for each in found.around(call):
        if isinstance(each, ast.For) and isinstance(each.target, ast.Name) and each.target.id == name:
            if isinstance(each.iter, ast.Tuple | ast.List):
                numbers = [number(one) for one in each.iter.elts]
                return each.iter if numbers in (_DISTANCES, _DISTANCES[::-1]) else None
            return None
        if isinstance(each, ast.While):
            halved = any(
                isinstance(one, ast.AugAssign)
                and isinstance(one.target, ast.Name)
                and one.target.id == name
                and isinstance(one.op, ast.FloorDiv | ast.RShift | ast.Div)
                for one in ast.walk(each)
            )
            return _given_before(found, each, name) if halved else None
    return None


def _given_before(found: Module, loop: ast.While, name: str) -> ast.expr | None:
    """The 16 that a variable is given last before a loop."""
    given = (each for each in found.assigned.get(name, ()) if each.lineno < loop.lineno)
    last = max(given, key=lambda each: each.lineno, default=None)
    return last.value if last is not None and number(last.value) == 16 else None


def _unrolled(file: File, found: Module, on: str) -> Iterator[Finding]:
    """Shuffles one behind the other by 16, 8, 4, 2 and 1."""
    steps = [(number(call.args[2]), call.args[2]) for _, call in _calls(found, _SHUFFLES) if len(call.args) > 2]
    for at in range(len(steps) - 4):
        distances = [value for value, _ in steps[at : at + 5]]
        if distances == _DISTANCES and (at == 0 or steps[at - 1][0] != 32):
            yield file.finding(
                "python-reduction-of-32-lanes",
                *found.span(steps[at][1]),
                f"the reduction by 16, 8, 4, 2 and 1 joins 32 lanes; a wave has 64 on {on}",
                "begin with a step of 32 where a wave has 64 lanes",
            )


@rule("python-ballot-in-32-bits", Severity.WARNING, Language.PYTHON)
def python_ballot_in_32_bits(file: File) -> Iterator[Finding]:
    """The result of a ballot is cut to 32 bits in a Python kernel.

    Why:
        A ballot has a bit for each lane: 64 on CDNA GPUs. ``uint32(ballot_sync(…))``, ``& 0xffffffff`` and a comparison
        with ``0xffffffff`` know the lower half only.

    Example:
        from numba import hip, uint32
        @hip.jit(device=True)
        def votes(vote):
            return hip.popc(uint32(hip.ballot_sync(0xffffffffffffffff, vote)))

    Fix:
        from numba import hip, uint64
        @hip.jit(device=True)
        def votes(vote):
            return hip.popc(uint64(hip.ballot_sync(0xffffffffffffffff, vote)))
    """
    on = _on_64(file)
    if not on:
        return
    found = module(file)
    for name, call in _calls(found, {"ballot_sync", "match_any_sync", "activemask", "lanemask_lt"}):
        around = found.parents.get(call)
        cut = isinstance(around, ast.Call) and re.search(r"(?:^|\.)u?int32$", found.dotted(around.func)) is not None
        others = _beside(around, call)
        if cut or any(number(each) == _NARROW_MASK for each in others):
            assert isinstance(around, ast.expr)
            yield file.finding(
                "python-ballot-in-32-bits",
                *found.span(around),
                f"{name} gives a bit for each lane, and a wave has 64 on {on}: the upper half is cut off",
                "keep it in 64 bits",
            )


def _beside(around: ast.AST | None, call: ast.Call) -> list[ast.expr]:
    """What a call is compared or joined with by ``&``."""
    if isinstance(around, ast.Compare) and isinstance(around.ops[0], ast.Eq | ast.NotEq):
        return [each for each in (around.left, *around.comparators) if each is not call]
    if isinstance(around, ast.BinOp) and isinstance(around.op, ast.BitAnd):
        return [each for each in (around.left, around.right) if each is not call]
    return []
