"""Compares that all lanes answer alike, found out by a few scalars.

Bounds tests of thread numbers hold in all lanes of nearly every wave. Where the numbers have rows
(:mod:`softrock.lift.forms`), their smallest and largest are known as scalars. The minimum or maximum of such numbers
and something uniform is kept as what it is made of, since its compares are those of its parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from softrock.lift import forms
from softrock.lift.forms import SWAPPED, Deferred, Rows

if TYPE_CHECKING:
    from softrock.lift.values import Val

_EXTREME = "extreme"
"""Kind of the note ``(which, kind, lanes, one)`` on the `which` ("min" or "max") of lanes and a scalar, as `kind`."""


def extreme(which: str, a: Val, c: Val) -> Val | None:
    """The minimum or maximum of lanes and something uniform by a's signedness, computed where somebody asks for it."""
    if not a.lanes or a.bits != 32 or a.is_float:
        return None
    one, lanes = forms.scalar_of(c), a
    if one is None:
        one, lanes = forms.scalar_of(a), c.bits_as(a.elem)
    elif forms.scalar_of(a) is not None:
        return None
    if one is None or not (isinstance(lanes.form, Rows) or _is_extreme(lanes)):
        return None
    name = ("s" if a.kind == "i" else "u") + which
    out = forms.of_kind(a, a.kind, a.bits, a.lanes, Deferred(lambda: a.solid().intrinsic(name, c.solid())))
    out.note = (_EXTREME, (which, a.kind, lanes, one.bits_as(a.elem)))
    return out


def _is_extreme(v: Val) -> bool:
    return v.note is not None and v.note[0] == _EXTREME and v.note[1][1] == v.kind


def alike(word: str, a: Val, c: Val) -> tuple[Val, Val] | None:
    """(whether ``a word c`` surely holds in all lanes, whether in none) as scalars, for lt, le, gt, ge, eq, ne by a's
    signedness; None where that is not quickly told, or the mask is as quickly made."""
    limit = forms.scalar_of(c)
    if limit is None:
        return alike(SWAPPED[word], c, a.bits_as(c.elem)) if forms.scalar_of(a) is not None else None
    if a.bits != 32 or a.is_float or not a.lanes:
        return None
    limit = limit.bits_as(a.elem)
    if _is_extreme(a):
        return _of_extreme(word, a, limit)
    if not isinstance(a.form, Rows) or a.form.uniform:
        return None
    if forms.compare_mask(word, a, c) is not None:
        return None
    if word in ("gt", "ge", "ne"):
        every, none = _of_rows({"gt": "le", "ge": "lt", "ne": "eq"}[word], a, a.form, limit)
        return none, every
    return _of_rows(word, a, a.form, limit)


def _of_rows(word: str, a: Val, rows: Rows, limit: Val) -> tuple[Val, Val]:
    """`alike` of lt, le and eq."""
    base, to = rows.base.bits_as(a.elem).to("i64"), limit.to("i64")
    least, most = (0, (1 << 32) - 1) if a.kind == "u" else (-(1 << 31), (1 << 31) - 1)
    reach = rows.stride * (rows.row - 1)
    low, high = base + min(reach, 0), base + max(reach, 0)
    if rows.pitch is not None:
        further = rows.pitch.bits_as("i32").to("i64") * (a.lanes // rows.row - 1)
        low, high = low + further.imin(0), high + further.imax(0)
    # Sums that leave the type's range wrap: a large one that is below the limit does not, nor a small one above it.
    below = high.le(to) if word == "le" else high.lt(to)
    above = low.ge(to) if word == "lt" else low.gt(to)
    above = above & high.le(most)
    if low is not base:
        below = below & low.ge(least)
        above = above & low.ge(least)
    if word == "eq":
        return a.b.const("u1", 0), below | above
    return below, above


def _of_extreme(word: str, a: Val, limit: Val) -> tuple[Val, Val] | None:
    assert a.note is not None
    which, _, lanes, one = a.note[1]
    if word in ("eq", "ne"):
        return None
    found = alike(word, lanes, limit.splat(a.lanes))
    if found is None:
        return None
    every, none = found
    holds: Val = one._cmp(limit, word, word)
    # The smaller of two is below the limit if one of them is, above it if both are.
    if (which == "min") == (word in ("lt", "le")):
        return every | holds, none & ~holds
    return every & holds, none | ~holds
