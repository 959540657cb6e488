"""The steps of IEEE division: V_DIV_SCALE, V_DIV_FMAS, V_DIV_FIXUP.

The guides' text cannot be meant as it stands in four places; what is modelled there is what makes the sequence of
these steps give the correctly rounded quotient, which `test_division` checks from end to end: f32's reciprocal is
compared with f64's
denormals; a huge denominator is scaled up, which overflows; V_DIV_FMAS multiplies by 2**32 (2**64) though V_DIV_SCALE
multiplied or divided by 2**64 (2**128); a quotient that overflowed on the way comes to V_DIV_FIXUP as infinity or
NaN.
"""

from __future__ import annotations

from tests.lift.models.formats import F16, F32, F64, Format
from tests.lift.models.registry import Context, OneOf, model, pure


def _is_number(f: Format, *values: int) -> bool:
    return not any(f.is_inf(v) or f.is_nan(v) for v in values)


def _quotient_is_denormal(f: Format, a: int, b: int) -> bool:
    """Whether a / b, rounded, is denormal (not zero)."""
    return _is_number(f, a, b) and f.is_denormal(f.of_fraction(f.fraction(a) / f.fraction(b)))


def scale(f: Format, s0: int, s1: int, s2: int) -> tuple[int, bool]:
    """(scaled source, post-scaling flag): s0 the value to scale, s1 the denominator, s2 the numerator."""
    power, gap, little = {32: (64, 96, 23), 64: (128, 768, 53)}[f.bits]
    if f.is_zero(s2) or f.is_zero(s1):
        return f.nan, False
    if f.exponent(s2) - f.exponent(s1) >= gap:
        return (f.scale(s0, power) if _same(f, s0, s1) else s0), True
    if f.is_denormal(s1):
        return f.scale(s0, power), False
    huge, tiny = _quotient_is_denormal(f, f.one, s1), _quotient_is_denormal(f, s2, s1)
    if huge and tiny:
        return (f.scale(s0, -power) if _same(f, s0, s1) else s0), True
    if huge:
        return f.scale(s0, -power), False
    if tiny:
        return (f.scale(s0, power) if _same(f, s0, s2) else s0), True
    return (f.scale(s0, power) if f.exponent(s2) <= little else s0), False


def _same(f: Format, a: int, b: int) -> bool:
    return not f.is_nan(a) and f.value(a) == f.value(b)


pure("v_div_scale_f32", "f32 mask <- f32 f32 f32", lambda a, b, c: scale(F32, a, b, c))
pure("v_div_scale_f64", "f64 mask <- f64 f64 f64", lambda a, b, c: scale(F64, a, b, c))


def _fmas(f: Format, power: int) -> None:
    @model(f"v_div_fmas_{f.name}", f"{f.name} <- {f.name} {f.name} {f.name} vcc")
    def _(_: Context, a: int, b: int, c: int, scaled: bool) -> OneOf:
        # A quotient that V_DIV_SCALE made smaller is small here, one that it made larger is large. Whether the
        # product is rounded before it is scaled is left open.
        by = (power if f.exponent(c) > f.bias else -power) if scaled else 0
        return OneOf((f.fma(a, b, c, by), f.scale(f.fma(a, b, c), by)))


_fmas(F32, 64)
_fmas(F64, 128)


def fixup(f: Format, quotient: int, denominator: int, numerator: int) -> int:
    """The last step: special cases, and the sign."""
    sign = (denominator ^ numerator) & f.sign_bit
    for x in (numerator, denominator):
        if f.is_nan(x):
            return f.quiet(x)
    if (f.is_zero(denominator) and f.is_zero(numerator)) or (f.is_inf(denominator) and f.is_inf(numerator)):
        return f.nan | f.sign_bit
    if f.is_zero(denominator) or f.is_inf(numerator):
        return f.inf | sign
    if f.is_inf(denominator) or f.is_zero(numerator):
        return sign
    if f is not F16 and f.exponent(numerator) - f.exponent(denominator) < {32: -150, 64: -1075}[f.bits]:
        return sign  # UNDERFLOW: rounds to zero
    if f is not F16 and not _is_number(f, quotient):
        return f.inf | sign
    return f.magnitude(quotient) | sign


for _f in (F16, F32, F64):
    pure(
        f"v_div_fixup_{_f.name}" + (" v_div_fixup_legacy_f16" if _f is F16 else ""),
        f"{_f.name} <- {_f.name} {_f.name} {_f.name}",
        lambda a, b, c, f=_f: fixup(f, a, b, c),
    )
