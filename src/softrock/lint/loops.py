"""Loops around shuffles: over powers of two, over exponents, over lanes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from softrock.hipify.lexer import Kind
from softrock.lint.lanes import WARP_FUNCTIONS, WARP_SIZE_NAME, Lanes
from softrock.lint.outline import Call, Range
from softrock.lint.statements import Statement
from softrock.lint.values import integer


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop over powers of two: its variable, its largest value, where that stands, and which way it goes.

    `default`: the value is that of a template's parameter where nobody gives another.
    """

    name: str
    largest: int
    at: Range
    falls: bool
    default: bool = False


def by(view: Lanes, call: Call, name: str) -> bool:
    """A shuffle's distance is a loop's variable."""
    known = WARP_FUNCTIONS.get(call.name)
    where = call.arguments[known.source : known.source + 1] if known else call.arguments
    return any(name in view.outline.words(span) for span in where)


def loops(view: Lanes, statement: Statement, calls: list[Call]) -> Iterator[Loop]:
    """What a loop around shuffles is: over powers of two, or over their exponents."""
    if statement.kind != "for":
        yield from _while(view, statement, calls)
        return
    loop = _powers(view, statement)
    if loop:
        yield loop
        return
    found = counted(view, statement)
    if found and 0 <= found[1] <= found[2] < 64:
        name, least, most = found
        shifted = ((span, _power(view, span, name)) for call in calls for span in call.arguments)
        for span, power in shifted:
            if power:
                base, operator = power
                yield Loop(name, base << most if operator == "<<" else base >> least, span, operator == ">>")
                return


def _while(view: Lanes, statement: Statement, calls: list[Call]) -> Iterator[Loop]:
    """The loop over powers of two that a ``while`` or ``do`` is: its variable is set before it and stepped in it."""
    outline, values = view.outline, view.values
    function = outline.function_at(statement.start)
    for name in sorted(outline.words(statement.head)):
        if function is None or not any(by(view, call, name) for call in calls):
            continue
        before = [span for span in values.given(name, function) if span[1] <= statement.start]
        stepped = [
            (at - 1, values.statement(at)[1])
            for at in range(statement.start, statement.end)
            if outline.at(at) in ("=", ">>=", "<<=", "/=", "*=", "+=") and outline.at(at - 1) == name
        ]
        if not before or len(stepped) != 1 or derived(view, before[-1]):
            continue
        initial = values.constant(before[-1])
        if initial and _steps(view, name, stepped[0], (">>=", "/=", ">>", "/")):
            yield Loop(name, initial, before[-1], True)
        elif initial == 1 and _steps(view, name, stepped[0], ("<<=", "*=", "<<", "*", "+=")):
            limit = _limit(view, name, statement.head)
            if limit:
                yield Loop(name, *limit, False)


_ONE_UP, _ONE_DOWN = ({"++"}, {"+=", "1"}), ({"--"}, {"-=", "1"})


def counted(view: Lanes, statement: Statement) -> tuple[str, int, int] | None:
    """(variable, least, most) of a ``for`` that counts by ones between literals."""
    outline, values = view.outline, view.values
    parts = outline.split(*statement.head, ";")
    equals = next((at for at in range(*parts[0]) if outline.at(at) == "="), None) if len(parts) == 3 else None
    if equals is None or equals == parts[0][0]:
        return None
    name, start = outline.at(equals - 1), values.constant((equals + 1, parts[0][1]))
    step = {outline.at(at) for at in range(*parts[2])} - {name}
    operator = next((at for at in range(*parts[1]) if outline.at(at) in ("<", "<=", ">", ">=", "!=")), None)
    if start is None or operator is None or outline.at(operator - 1) != name or derived(view, parts[1]):
        return None
    bound = values.constant((operator + 1, parts[1][1]))
    if bound is None:
        return None
    if step in _ONE_UP and outline.at(operator) in ("<", "<=", "!="):
        return name, start, bound - (outline.at(operator) != "<=")
    if step in _ONE_DOWN and outline.at(operator) in (">", ">=", "!="):
        return name, bound + (outline.at(operator) != ">="), start
    return None


def _power(view: Lanes, span: Range, name: str) -> tuple[int, str] | None:
    """(base, operator) of ``1 << name`` or ``16 >> name``."""
    outline = view.outline
    first, last = span
    while last - first > 2 and outline.at(first) == "(" and outline.match.get(first) == last - 1:
        first, last = first + 1, last - 1
    base = integer(outline.tokens[first]) if last - first == 3 and outline.at(last - 1) == name else None
    operator = outline.at(first + 1)
    return (base, operator) if base and operator in ("<<", ">>") else None


def _powers(view: Lanes, statement: Statement) -> Loop | None:
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
    if falls and not derived(view, initial):
        value = values.constant(initial)
        return Loop(name, value, initial, True) if value else _by_default(view, name, initial)
    if rises and values.constant(initial) == 1 and len(range(*test)) >= 3:
        limit = _limit(view, name, test)
        return Loop(name, *limit, False) if limit else None
    return None


def _by_default(view: Lanes, name: str, initial: Range) -> Loop | None:
    """The loop of a template whose first distance is made from a parameter with a default."""
    outline, values = view.outline, view.values
    for at in range(*initial):
        default = values.default(outline.at(at), at) if outline.tokens[at].kind is Kind.NAME else None
        if default is not None:
            inlined = [*outline.tokens[initial[0] : at], *outline.tokens[slice(*default)]]
            value = values.evaluate([*inlined, *outline.tokens[at + 1 : initial[1]]], at)
            return Loop(name, value, default, True, default=True) if value else None
    return None


def _limit(view: Lanes, name: str, test: Range) -> tuple[int, Range] | None:
    """(largest power of two, where the bound stands) of a condition such as ``i < 32``."""
    operator = next((at for at in range(*test) if view.outline.at(at) in ("<", "<=")), None)
    if operator is None or view.outline.at(operator - 1) != name or derived(view, (operator + 1, test[1])):
        return None
    bound = (operator + 1, test[1])
    limit = view.values.constant(bound)
    if limit is None or limit <= 1:
        return None
    return (limit if view.outline.at(operator) == "<=" else limit // 2), bound


def derived(view: Lanes, span: Range) -> bool:
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
