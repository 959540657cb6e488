"""Comparisons and classification (V_CMP_*, V_CMPX_*); the machine writes EXEC where the instruction does."""

from __future__ import annotations

import math
from collections.abc import Callable

from tests.lift.models.formats import F16, F32, F64, Format
from tests.lift.models.registry import pure

_ORDERED: dict[str, Callable[[float, float], bool]] = {
    "f": lambda a, b: False,
    "lt": lambda a, b: a < b,
    "eq": lambda a, b: a == b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "lg": lambda a, b: a < b or a > b,
    "ge": lambda a, b: a >= b,
    "o": lambda a, b: not (math.isnan(a) or math.isnan(b)),
}
_NEGATED = {"nge": "ge", "nlg": "lg", "ngt": "gt", "nle": "le", "neq": "eq", "nlt": "lt", "u": "o", "t": "f"}
_INTEGER: dict[str, Callable[[int, int], bool]] = {
    "f": lambda a, b: False,
    "lt": lambda a, b: a < b,
    "eq": lambda a, b: a == b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ne": lambda a, b: a != b,
    "ge": lambda a, b: a >= b,
    "t": lambda a, b: True,
}


def _float(f: Format, name: str, relation: Callable[[float, float], bool], wanted: bool) -> None:
    pure(
        f"v_cmp_{name}_{f.name} v_cmpx_{name}_{f.name}",
        f"mask <- {f.name} {f.name}",
        lambda a, b: relation(f.value(a), f.value(b)) is wanted,
    )


for _f in (F16, F32, F64):
    for _name, _relation in _ORDERED.items():
        _float(_f, _name, _relation, True)
    for _name, _base in _NEGATED.items():
        _float(_f, _name, _ORDERED[_base], False)
for _elem in ("i16", "u16", "i32", "u32", "i64", "u64"):
    for _name, _compare in _INTEGER.items():
        pure(f"v_cmp_{_name}_{_elem} v_cmpx_{_name}_{_elem}", f"mask <- {_elem} {_elem}", _compare)


def class_of(f: Format, raw: int) -> int:
    """Number of the class's bit: 0 signalling NaN, 1 quiet NaN, 2-5 negative infinity, normal, denormal, zero, 6-9
    positive zero, denormal, normal, infinity."""
    if f.is_nan(raw):
        return 0 if f.is_signalling(raw) else 1
    rank = 0 if f.is_inf(raw) else 2 if f.is_denormal(raw) else 3 if f.is_zero(raw) else 1
    return 2 + rank if f.negative(raw) else 9 - rank


for _f in (F16, F32, F64):
    pure(
        f"v_cmp_class_{_f.name} v_cmpx_class_{_f.name}",
        f"mask <- {_f.name} {'u16' if _f is F16 else 'u32'}",
        lambda a, b, f=_f: bool(b >> class_of(f, a) & 1),
    )
