"""Reductions and scans over the lanes of a wave."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from softrock.hipify.findings import Finding, Severity
from softrock.lint.file import File
from softrock.lint.lanes import SHUFFLE_LIKE, WARP_FUNCTIONS, WARP_SIZE_NAME, Lanes, gpus, lanes, others
from softrock.lint.outline import Call, Range, Statement
from softrock.lint.registry import rule


@dataclass(frozen=True, slots=True)
class _Loop:
    """A loop over powers of two: its variable, its largest value, where that stands, and which way it goes."""

    name: str
    largest: int
    at: Range
    falls: bool


@rule("reduction-of-32-lanes", Severity.ERROR)
def reduction_of_32_lanes(file: File) -> Iterator[Finding]:
    """A reduction or scan with shuffles covers 32 lanes, or 64, by its literal bounds.

    Why:
        A butterfly that starts at a distance of 16 (or a scan that ends there) joins 32 lanes. A wave of gfx942 has 64:
        lane 0 gets half the sum, and where code goes on to take one result from each wave, the other half is lost.
        The other way round, a first step of 32 on a wave of 32 lanes reads beyond it and adds a lane's own value.

    Example:
        __device__ float sum(float value) {
            for (int offset = 16; offset > 0; offset >>= 1)
                value += __shfl_down(value, offset);
            return value;
        }

    Fix:
        __device__ float sum(float value) {
            for (int offset = warpSize / 2; offset > 0; offset >>= 1)
                value += __shfl_down(value, offset);
            return value;
        }
    """
    view = lanes(file)
    for function in view.outline.functions:
        in_loops: set[int] = set()
        for statement, _ in function.paths():
            if statement.kind == "for":
                calls = list(_shuffles(view, (statement.head[1], statement.end)))
                loop = _powers(view, statement) if calls else None
                if loop:
                    in_loops.update(call.index for call in calls)
                    yield from _judged(view, loop.largest, loop.at, [c for c in calls if _by(view, c, loop.name)])
        yield from _unrolled(view, [c for c in _shuffles(view, function.body) if c.index not in in_loops])


def _shuffles(view: Lanes, within: Range) -> Iterator[Call]:
    for name in view.outline.names:
        if SHUFFLE_LIKE.fullmatch(name):
            yield from view.outline.calls(name, within=within)


def _by(view: Lanes, call: Call, name: str) -> bool:
    """A shuffle's distance is a loop's variable."""
    return any(name in view.outline.words(span) for span in call.arguments)


def _width(view: Lanes, call: Call) -> int | None:
    """The literal width of a shuffle; None where it goes over the whole wave, 0 where the width is not known."""
    known = WARP_FUNCTIONS.get(call.name)
    if known is None:  # someone's own: a further argument might be a width
        return 0 if len(call.arguments) > 3 else None
    if not 0 <= known.width < len(call.arguments):
        return None
    if "warpSize" in view.words(call.arguments[known.width]):
        return None
    return view.values.constant(call.arguments[known.width]) or 0


def _judged(view: Lanes, largest: int, at: Range, calls: list[Call]) -> Iterator[Finding]:
    """A finding where a reduction whose largest distance is `largest` does not fit a chosen GPU's waves."""
    file, covered = view.file, 2 * largest
    whole = [call for call in calls if (width := _width(view, call)) is None or width > covered]
    if covered not in (32, 64) or not whole:
        return
    size = 96 - covered
    on = gpus(file, size)
    if not on:
        return
    name = whole[0].name
    if covered == 32:
        message = f"the reduction with {name} joins 32 lanes; a wave of {on} has 64, half of them are left out"
    else:
        message = f"the reduction with {name} takes a step of 32; a wave of {on} has 32 lanes, so it goes beyond it"
    hint = "start at warpSize / 2; or give the shuffle the width 32 and reduce each half of the wave for itself"
    yield view.finding(
        "reduction-of-32-lanes", at, message + others(file, covered), hint if covered == 32 else hint[:24]
    )


def _powers(view: Lanes, statement: Statement) -> _Loop | None:
    """The loop over powers of two that a ``for`` is, with literal bounds."""
    outline, values = view.outline, view.values
    parts = outline.split(*statement.head, ";")
    if len(parts) != 3:
        return None
    start, test, step = parts
    equals = next((at for at in range(*start) if outline.at(at) == "="), None)
    if equals is None or equals == start[0]:
        return None
    name, initial = outline.at(equals - 1), (equals + 1, start[1])
    rises = _steps(view, name, step, ("<<=", "*=", "<<", "*", "+="))
    falls = _steps(view, name, step, (">>=", "/=", ">>", "/"))
    if falls and not _derived(view, initial):
        value = values.constant(initial)
        return _Loop(name, value, initial, True) if value else None
    if rises and values.constant(initial) == 1 and len(range(*test)) >= 3:
        operator = next((at for at in range(*test) if outline.at(at) in ("<", "<=")), None)
        if operator is None or outline.at(operator - 1) != name or _derived(view, (operator + 1, test[1])):
            return None
        limit = values.constant((operator + 1, test[1]))
        if limit is not None and limit > 1:
            largest = limit if outline.at(operator) == "<=" else limit // 2
            return _Loop(name, largest, (operator + 1, test[1]), False)
    return None


def _derived(view: Lanes, span: Range) -> bool:
    """A bound is made from a name for the warp size: what that stands for is told where it is defined."""
    return any(WARP_SIZE_NAME.fullmatch(word) for word in view.outline.words(span))


def _steps(view: Lanes, name: str, step: Range, operators: tuple[str, ...]) -> bool:
    """A loop's step doubles or halves its variable."""
    outline = view.outline
    texts = [outline.at(at) for at in range(*step)]
    if len(texts) == 3 and texts[0] == name and texts[1] in operators:
        by = texts[2]
        if texts[1] == "+=":
            return by == name
        return by == ("1" if texts[1] in ("<<=", ">>=") else "2")
    if len(texts) == 5 and texts[0] == name and texts[1] == "=" and texts[2] == name and texts[3] in operators:
        return texts[4] == ("1" if texts[3] in ("<<", ">>") else "2")
    return False


_FALLING = [16, 8, 4, 2, 1]


def _unrolled(view: Lanes, calls: list[Call]) -> Iterator[Finding]:
    """Shuffles one behind the other whose distances are 16, 8, 4, 2, 1, or the same upwards."""
    steps: list[tuple[int, Call, Range]] = []
    for call in sorted(calls, key=lambda each: each.index):
        known = WARP_FUNCTIONS.get(call.name)
        position = known.source if known else len(call.arguments) - 1
        if 0 <= position < len(call.arguments):
            value = view.values.constant(call.arguments[position])
            if value is not None and not _derived(view, call.arguments[position]):
                steps.append((value, call, call.arguments[position]))
    distances = [value for value, _, _ in steps]
    for at in range(len(steps) - 4):
        window = distances[at : at + 5]
        before = distances[at - 1] if at else 0
        behind = distances[at + 5] if at + 5 < len(steps) else 0
        if window == _FALLING:
            largest = 32 if before == 32 else 16
            first = at - (before == 32)
        elif window == _FALLING[::-1]:
            largest = 32 if behind == 32 else 16
            first = at + 4 + (behind == 32)
        else:
            continue
        yield from _judged(view, largest, steps[first][2], [steps[first][1]])
