"""Sequences of instructions that compilers make of one IEEE operation, and the host's operation in their place.

LLVM's AMDGPU backend (SIISelLowering: LowerFDIV32, LowerFDIV64, lowerFSQRTF32) divides and takes roots by an estimate
and steps of refinement that are correctly rounded by design; so are x86's and AArch64's own instructions. Registers
nothing: the semantics of the last instruction of each sequence ask here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from softrock.lift import forms
from softrock.lift.ir import Val
from softrock.lift.notes import Pattern, match, noted, number_of, same

if TYPE_CHECKING:
    from softrock.lift.context import Wave

_DEN: Pattern = ("scale", "b", "b", "c")
_NUM: Pattern = ("scale", "c", "b", "c")
_FLAG: Pattern = ("flag", "c", "b", "c")
_R0: Pattern = ("rcp", _DEN)
_R1: Pattern = ("fma", ("fnma", _DEN, _R0, 1.0), _R0, _R0)


def _finished(reciprocal: Pattern, steps: int) -> Pattern:
    """From a good reciprocal to the scaled quotient: a product, a number of corrections, the last by v_div_fmas."""
    quotient: Pattern = ("mul", _NUM, reciprocal)
    for _ in range(steps):
        quotient = ("fma", ("fnma", _DEN, quotient, _NUM), reciprocal, quotient)
    return ("fmas", ("fnma", _DEN, quotient, _NUM), reciprocal, quotient, _FLAG)


_DIVISION: dict[int, Pattern] = {
    32: _finished(_R1, 1),
    64: _finished(("fma", _R1, ("fnma", _DEN, _R1, 1.0), _R1), 0),
}


def quotient(x: Wave, approached: Val, b: Val, c: Val) -> Val | None:
    """c / b where `approached`, the first operand of v_div_fixup, is what a division's sequence leads to."""
    pattern = _DIVISION.get(approached.bits)
    if pattern is None or x.flushes(approached):
        return None
    found = match(pattern, approached)
    if found is None or not (same(found["b"], b) and same(found["c"], c)):
        return None
    return noted(c / b, "quotient")


_RAISED: Pattern = ("select", ("olt", "x", "limit"), ("mul", "x", "factor"), "x")


def never_denormal(a: Val) -> bool:
    """Whether an f32 value is a number that was multiplied where it was small, as libraries do before v_rsq_f32."""
    found = match(_RAISED, a)
    if found is None:
        return False
    limit, factor = number_of(found["limit"]), number_of(found["factor"])
    return limit is not None and factor is not None and limit >= 2.0**-126 and factor >= 2.0**23


_SMALL: Pattern = ("olt", "x", 2.0**-96)
_SCALED: Pattern = ("select", _SMALL, ("mul", "x", 2.0**32), "x")
_ROOT: Pattern = ("sqrt", _SCALED)
_BELOW: Pattern = ("add-1", _ROOT)
_ABOVE: Pattern = ("add+1", _ROOT)
_NOT_BELOW: Pattern = ("select", ("ole", ("fnma", _BELOW, _ROOT, _SCALED), 0.0), _BELOW, _ROOT)
_NEAREST: Pattern = ("select", ("olt", 0.0, ("fnma", _ABOVE, _ROOT, _SCALED)), _ABOVE, _NOT_BELOW)
_SQRT: Pattern = (
    "select",
    ("class", _SCALED, "mask"),
    _SCALED,
    ("select", _SMALL, ("mul", _NEAREST, 2.0**-16), _NEAREST),
)
_ZERO_OR_INFINITY = 0x260


_WIDE_SMALL: Pattern = ("olt", "x", 2.0**-767)
_WIDE_SCALED: Pattern = ("ldexp", "x", ("select", _WIDE_SMALL, "up", "none"))


def _wide_root() -> Pattern:
    """Goldschmidt's steps from an estimate of 1 / sqrt, and two corrections."""
    estimate: Pattern = ("rsq", _WIDE_SCALED)
    root: Pattern = ("mul", _WIDE_SCALED, estimate)
    half: Pattern = ("mul", estimate, 0.5)
    rest: Pattern = ("fnma", half, root, 0.5)
    root, half = ("fma", root, rest, root), ("fma", half, rest, half)
    for _ in range(2):
        root = ("fma", ("fnma", root, root, _WIDE_SCALED), half, root)
    return ("ldexp", root, ("select", _WIDE_SMALL, "down", "none"))


_WIDE_SQRT = _wide_root()


def _integer(value: Val) -> int | None:
    one = forms.scalar_of(value)
    return one.bits_as("i32").const if one is not None and isinstance(one.const, int) else None  # type: ignore[return-value]


def root_word(x: Wave, mask: Val, yes: Val, no: Val) -> Val | None:
    """A dword of sqrt(x) where v_cndmask's operands are what the sequence of an f64 root leads to; `mask` has a note of
    the class test that chooses."""
    if yes.part is None or no.part is None or yes.part[1] != no.part[1] or x.mode.flush_f16_f64:
        return None
    scaled, approached = yes.part[0], no.part[0]
    known = x.sequences.get(id(approached.note))
    if known is None:
        found = match(_WIDE_SQRT, approached)
        if found is None or [_integer(found[k]) for k in ("up", "down", "none")] != [256, -128, 0]:
            return None
        tested = match(("class", "scaled", "mask"), mask)
        if tested is None or not same(tested["scaled"], scaled) or tested["mask"].const != _ZERO_OR_INFINITY:
            return None
        given = match(_WIDE_SCALED, scaled)
        if given is None or not all(same(given[k], found[k]) for k in ("x", "up", "none")):
            return None
        known = (approached.note, found["x"].bits_as("f64").sqrt().bits_as("u64"))
        x.sequences[id(approached.note)] = known
    return forms.word(known[1], yes.part[1])


def root(x: Wave, selected: Val) -> Val | None:
    """sqrt(x) where `selected`, a noted result of v_cndmask, is what a root's sequence leads to."""
    if selected.bits != 32 or x.mode.flush_f32:
        return None
    found = match(_SQRT, selected)
    if found is None or found["mask"].const != _ZERO_OR_INFINITY:
        return None
    return noted(found["x"].bits_as("f32").sqrt(), "root")
