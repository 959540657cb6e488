"""Reductions and scans over the lanes of a wave."""

from __future__ import annotations

import bisect
from collections.abc import Iterator

from softrock.hipify.findings import Finding, Severity
from softrock.lint.file import File
from softrock.lint.lanes import SHUFFLE_LIKE, WARP_FUNCTIONS, Lanes, gpus, lanes, others
from softrock.lint.loops import by, derived, loops
from softrock.lint.once import once
from softrock.lint.outline import Call, Range, Statement
from softrock.lint.registry import rule
from softrock.lint.uniform import around


@rule("reduction-of-32-lanes", Severity.ERROR, by_size=True)
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
            if statement.kind not in ("for", "while", "do"):
                continue
            calls = _shuffles(view, (statement.start, statement.end))
            for loop in loops(view, statement, calls) if calls else ():
                in_loops.update(call.index for call in calls)
                own = [call for call in calls if by(view, call, loop.name)]
                yield from _judged(view, loop.largest, loop.at, own, Severity.WARNING if loop.default else None)
        yield from _unrolled(view, [c for c in _shuffles(view, function.body) if c.index not in in_loops])


@once
def _all_shuffles(view: Lanes) -> list[Call]:
    return list(view.outline.calls(*[name for name in view.outline.names if SHUFFLE_LIKE.fullmatch(name)]))


def _shuffles(view: Lanes, within: Range) -> list[Call]:
    """Calls of shuffles, or of what is called like one, in order."""
    made = _all_shuffles(view)
    first, last = (bisect.bisect_left(made, each, key=lambda call: call.index) for each in within)
    return made[first:last]


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


def _judged(
    view: Lanes, largest: int, at: Range, calls: list[Call], severity: Severity | None = None
) -> Iterator[Finding]:
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
    hint = hint if covered == 32 else hint[:24]
    yield view.finding("reduction-of-32-lanes", at, message + others(file, covered), hint, severity=severity)


_FALLING = [16, 8, 4, 2, 1]


def _unrolled(view: Lanes, calls: list[Call]) -> Iterator[Finding]:
    """Shuffles one behind the other whose distances are 16, 8, 4, 2, 1, or the same upwards."""
    steps: list[tuple[int, Call, Range]] = []
    for call in sorted(calls, key=lambda each: each.index):
        known = WARP_FUNCTIONS.get(call.name)
        position = known.source if known else len(call.arguments) - 1
        if 0 <= position < len(call.arguments):
            value = view.values.constant(call.arguments[position])
            if value is not None and not derived(view, call.arguments[position]):
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


@rule("wave-synchronous-reduction", Severity.WARNING)
def wave_synchronous_reduction(file: File) -> Iterator[Finding]:
    """The last steps of a reduction in shared memory have no barrier between them.

    Why:
        The idiom relies on a warp's lanes running in step. Nothing in CUDA or HIP promises that: without ``volatile``
        the compiler may keep the values in registers. Where more threads take part than a wave has lanes (64 threads on
        a GPU with 32 lanes a wave), two waves race, which is an error whatever the compiler does.

    Example:
        __device__ void last_steps(float *part, int tid) {
            if (tid < 32) {
                part[tid] += part[tid + 32];
                part[tid] += part[tid + 16];
                part[tid] += part[tid + 8];
                part[tid] += part[tid + 4];
                part[tid] += part[tid + 2];
                part[tid] += part[tid + 1];
            }
        }

    Fix:
        __device__ float last_steps(float value) {
            for (int offset = warpSize / 2; offset > 0; offset >>= 1) value += __shfl_down(value, offset);
            return value;
        }
    """
    view = lanes(file)
    for function in view.outline.functions:
        steps: list[tuple[str, int, Statement]] = []
        for statement, _ in function.paths():
            if statement.children:
                continue
            step = _step_in_memory(view, statement)
            if step and steps and (steps[-1][0], steps[-1][1]) == (step[0], 2 * step[1]):
                steps.append((*step, statement))
                continue
            if len(steps) >= 3:
                yield from _without_barrier(view, steps)
            steps = [(*step, statement)] if step else []
        if len(steps) >= 3:
            yield from _without_barrier(view, steps)


def _step_in_memory(view: Lanes, statement: Statement) -> tuple[str, int] | None:
    """(array, distance) of a statement such as ``a[i] += a[i + 8]``."""
    outline = view.outline
    bracket = next((at for at in range(statement.start, statement.end) if outline.at(at) == "["), None)
    if bracket is None or bracket - 1 != statement.start or bracket not in outline.match:
        return None
    name, index = outline.at(statement.start), outline.text((bracket + 1, outline.match[bracket]))
    if outline.at(outline.match[bracket] + 1) not in ("+=", "=", "*=", "&=", "|=", "^="):
        return None
    for at in range(outline.match[bracket] + 1, statement.end):
        if outline.at(at) == name and outline.at(at + 1) == "[" and at + 1 in outline.match:
            inner = (at + 2, outline.match[at + 1])
            plus = next((each for each in range(*inner) if outline.at(each) == "+"), None)
            if plus is not None and outline.text((inner[0], plus)) == index:
                value = view.values.constant((plus + 1, inner[1]))
                return (name, value) if value else None
    return None


def _without_barrier(view: Lanes, steps: list[tuple[str, int, Statement]]) -> Iterator[Finding]:
    name, largest, first = steps[0]
    function = view.outline.function_at(first.start)
    threads = _taking_part(view, first.start) or 2 * largest
    span = (first.start, steps[-1][2].end)
    hint = "let the wave reduce its values with shuffles, or put __syncthreads between the steps for all threads"
    on = gpus(view.file, 32)
    if threads > 32 and on:
        message = f"{threads} threads reduce {name} without a barrier, but a wave of {on} has 32 lanes: two waves race"
        yield view.finding("wave-synchronous-reduction", span, message, hint, severity=Severity.ERROR)
        return
    place = view.values.declaration(name, first.start) if function else None
    if place is not None and "volatile" in place[1].split():
        return
    message = f"nothing orders these steps on {name}: the compiler may keep its elements in registers"
    yield view.finding("wave-synchronous-reduction", span, message, hint)


def _taking_part(view: Lanes, at: int) -> int | None:
    """N of the nearest condition ``thread < N`` around a token."""
    function = view.outline.function_at(at)
    for each in reversed(around(function, at)) if function else ():
        operator = next((at for at in range(*each.head) if view.outline.at(at) == "<"), None)
        if each.kind == "if" and operator is not None:
            return view.values.constant((operator + 1, each.head[1]))
    return None
