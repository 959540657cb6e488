"""Conditions around a place in a kernel, and whether they are the same for all lanes of a wave."""

from __future__ import annotations

import bisect
import enum
from collections.abc import Iterator

from softrock.lint.lanes import WARP_SIZE_NAME, Lanes
from softrock.lint.once import once
from softrock.lint.outline import Function, Range, Statement
from softrock.lint.threads import threads

_VOTES = frozenset({"__any", "__all", "__any_sync", "__all_sync", "__ballot", "__ballot_sync", "any_sync", "all_sync"})
_COMPARE = frozenset({"<", "<=", ">=", ">", "==", "!="})


class Spread(enum.Enum):
    """Which lanes of a wave go through a condition."""

    UNIFORM = "all or none"
    HALF = "whole groups of 32 threads"
    DOUBLE = "whole groups of 64 threads"
    VARYING = "some"


def conditions(view: Lanes, at: int) -> Iterator[tuple[Range, Spread]]:
    """What is tested on the way to a token in its function, inner ones first, as far as threads may differ in it."""
    function = view.outline.function_at(at)
    if function is None:
        return
    for each in reversed(around(function, at)):
        condition = _tested(view, each)
        if condition and not each.head[0] <= at < each.head[1] and threads(function).varies(condition):
            yield condition, spread(view, condition)


@once
def _in_order(function: Function) -> list[tuple[int, tuple[Statement, ...]]]:
    """Where each statement begins, and the statements that hold it, it included."""
    return [(each.start, (*path, each)) for each, path in function.paths()]


def around(function: Function, at: int) -> tuple[Statement, ...]:
    """The statements that hold a token, outermost first."""
    made = _in_order(function)
    index = bisect.bisect_right(made, at, key=lambda entry: entry[0]) - 1
    return tuple(each for each in made[index][1] if at < each.end) if index >= 0 else ()


def left_early(view: Lanes, at: int) -> Range | None:
    """The condition of a ``return`` before a token that some lanes of a wave may have taken, if there is one."""
    function = view.outline.function_at(at)
    if function is None:
        return None
    made = vars(function).get("_left")
    if made is None:
        made = vars(function)["_left"] = list(_exits(view, function))
    assert isinstance(made, list)
    return made[0][1] if made and made[0][0] <= at else None


def _exits(view: Lanes, function: Function) -> Iterator[tuple[int, Range]]:
    """(end of the statement, condition) of the returns that some lanes of a wave may take."""
    for statement in function.statements:
        returns = statement.kind == "if" and len(statement.children) == 1 and _returns(statement.children[0])
        if returns and threads(function).varies(statement.head) and spread(view, statement.head) is Spread.VARYING:
            yield statement.end, statement.head


def _returns(statement: Statement) -> bool:
    if statement.kind == "block":
        return bool(statement.children) and statement.children[-1].kind == "return"
    return statement.kind == "return"


def _tested(view: Lanes, statement: Statement) -> Range | None:
    """What a statement tests: of a ``for``, what stands between its semicolons."""
    if statement.kind not in ("if", "for", "while", "do", "switch") or statement.head[1] <= statement.head[0]:
        return None
    if statement.kind == "if" and "constexpr" in view.outline.text((statement.start, statement.head[0])):
        return None
    if statement.kind == "for":
        parts = view.outline.split(*statement.head, ";")
        return parts[1] if len(parts) == 3 and parts[1][1] > parts[1][0] else None
    return statement.head


def spread(view: Lanes, condition: Range) -> Spread:
    """Which lanes of a wave go through a condition that differs from thread to thread."""
    outline = view.outline
    worst = Spread.UNIFORM
    order = [Spread.UNIFORM, Spread.DOUBLE, Spread.HALF, Spread.VARYING]
    function = outline.function_at(condition[0])
    for part in _parts(view, condition):
        if function is not None and not threads(function).varies(part):
            continue
        worst = max(worst, _one(view, part), key=order.index)
    return worst


def _parts(view: Lanes, span: Range) -> Iterator[Range]:
    """The terms of a condition between ``&&`` and ``||``."""
    outline = view.outline
    first, last = span
    while outline.at(first) == "(" and outline.match.get(first) == last - 1:
        first, last = first + 1, last - 1
    for outer in outline.split(first, last, "||"):
        for inner in outline.split(*outer, "&&"):
            if inner == span or inner == (first, last):
                yield inner
            else:
                yield from _parts(view, inner)


def _one(view: Lanes, part: Range) -> Spread:
    outline = view.outline
    start = part[0] + (outline.at(part[0]) == "!")
    if outline.at(start) in _VOTES and outline.at(start + 1) == "(":
        return Spread.UNIFORM
    operator = next((at for at in range(*part) if outline.at(at) in _COMPARE), None)
    left = (part[0], operator) if operator is not None else part
    right = (operator + 1, part[1]) if operator is not None else None
    if _by_wave(view, left):
        return Spread.UNIFORM if right is None or _by_wave(view, right) or not view.thread(right) else Spread.VARYING
    if right is None or operator is None:
        return Spread.VARYING
    words = outline.words(right)
    if outline.at(operator) in ("<", ">=") and view.thread(left) and not view.lane(left):
        if "warpSize" in words or any(WARP_SIZE_NAME.fullmatch(word) for word in words):
            value = view.values.constant(right)
            return {32: Spread.HALF, 64: Spread.DOUBLE}.get(value or 0, Spread.UNIFORM)
        value = view.values.constant(right)
        if value is not None and value % 32 == 0:
            return Spread.DOUBLE if value % 64 == 0 else Spread.HALF
    return Spread.VARYING


def _by_wave(view: Lanes, span: Range) -> bool:
    """An expression is the number of a wave: by its names, or a thread's number divided by the wave's size."""
    outline = view.outline
    first, last = span
    while outline.at(first) == "(" and outline.match.get(first) == last - 1:
        first, last = first + 1, last - 1
    if last - first == 1:
        if view.warp_name(first):
            return True
        function = outline.function_at(first)
        given = list(view.values.given(outline.at(first), function)) if function else []
        return bool(given) and all(_divided(view, each) for each in given)
    return _divided(view, (first, last))


def _divided(view: Lanes, span: Range) -> bool:
    outline = view.outline
    for at in range(*span):
        if outline.at(at) == "/" and view.thread((span[0], at)):
            words = outline.words((at + 1, span[1]))
            if "warpSize" in words or any(WARP_SIZE_NAME.fullmatch(word) for word in words):
                return True
            return view.values.constant((at + 1, span[1])) in (32, 64)
        if outline.at(at) == ">>" and view.thread((span[0], at)):
            return view.values.constant((at + 1, span[1])) in (5, 6)
    return False
