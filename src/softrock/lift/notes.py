"""What a value was computed from, and patterns over it.

Semantics leave a note ``(kind, arguments)`` on results that may be part of a known sequence of instructions, such as
the dozen that a compiler makes of an IEEE division. Where such a sequence ends, :func:`match` looks back through the
notes. Notes follow values through registers, so neither the order of instructions nor register numbers matter, and a
value that came another way has none.
"""

from __future__ import annotations

import math
import struct

from softrock.lift import forms
from softrock.lift.ir import Val

Pattern = tuple[object, ...] | str | float
"""``(kind, pattern …)`` for a value with such a note, a name for any value (the same wherever it occurs), a number for
a constant."""

_COMMUTATIVE = frozenset(("fma", "fnma", "mul"))


def noted(value: Val, kind: str, *args: Val) -> Val:
    """`value` with a note of what it was computed from."""
    out = value.copy()
    out.note = (kind, args)
    return out


def fused(out: Val, a: Val, b: Val, c: Val) -> Val:
    """Note a fused multiply-add; a negative factor makes it an ``fnma`` of positive ones."""
    negative = False
    factors = []
    for factor in (a, b):
        while factor.note is not None and factor.note[0] == "neg":
            (factor,) = factor.note[1]
            negative = not negative
        factors.append(factor)
    return noted(out, "fnma" if negative else "fma", *factors, c)


def _core(value: Val) -> Val:
    """The value that this one has the bits of."""
    while value.note is not None and value.note[0] == "bits":
        (value,) = value.note[1]
    return value


def number_of(value: Val) -> float | None:
    """A constant's value as f32 or f64, by its bits where it is an integer."""
    core = _core(value)
    const = core.const
    if const is None and (one := forms.scalar_of(core)) is not None:
        const = _core(one).const
    if isinstance(const, int) and core.bits in (32, 64):
        code = "<If" if core.bits == 32 else "<Qd"
        raw = struct.pack(code[:2], const & ((1 << core.bits) - 1))
        found: float = struct.unpack(code[0] + code[2], raw)[0]
        return found
    return const


def same(a: Val, b: Val) -> bool:
    """Whether two values surely have the same bits."""
    a, b = _core(a), _core(b)
    if a is b or a.same(b) or (a.note is not None and a.note is b.note):
        return True  # a note is made for one value
    if a.note is not None and b.note is not None and a.note[0] == b.note[0] and a.note[0] in ("neg", "abs"):
        return same(a.note[1][0], b.note[1][0])
    x, y = number_of(a), number_of(b)
    if x is not None and y is not None:
        return a.bits == b.bits and x == y and math.copysign(1, x) == math.copysign(1, y)
    if a.lanes and b.lanes:
        one, other = forms.scalar_of(a), forms.scalar_of(b)
        return one is not None and other is not None and (one is not a or other is not b) and same(one, other)
    return False


def match(pattern: Pattern, value: Val) -> dict[str, Val] | None:
    """The values that a pattern's names stand for, None where it does not fit."""
    names: dict[str, Val] = {}
    return names if _fits(pattern, value, names, {}) else None


def _fits(pattern: Pattern, value: Val, names: dict[str, Val], seen: dict[tuple[int, int], bool]) -> bool:
    if isinstance(pattern, str):
        return same(names.setdefault(pattern, value), value)
    if isinstance(pattern, float):
        number = number_of(value)
        return number == pattern
    note = _core(value).note
    if note is None or note[0] != pattern[0]:
        return False
    # A part that occurs more than once is looked at once: what it bound to names stays bound.
    key = id(pattern), id(note)
    if seen.get(key):
        return True
    args = list(note[1])
    orders = [args]
    if pattern[0] in _COMMUTATIVE:
        orders.append([args[1], args[0], *args[2:]])
    for order in orders:
        kept, known = dict(names), dict(seen)
        if all(_fits(p, v, names, seen) for p, v in zip(pattern[1:], order, strict=True)):  # type: ignore[arg-type]
            seen[key] = True
            return True
        names.clear()
        names.update(kept)
        seen.clear()
        seen.update(known)
    return False
