"""Operations that hardware only approximates, from mpmath: correctly rounded results, compared within one unit in the
last place (f16: half-precision functions are good to 0.51 ulp; f64 reciprocals and roots would be allowed 2**29 ulp
by the guides, one is asked for here). f32 functions flush denormal inputs and results whatever MODE says, as the
guides say; sine and cosine do not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
from tests.lift.models.formats import F16, F32, F64, Format
from tests.lift.models.registry import Context, model, pure

PRECISION = 160


def _rounded(f: Format, value: Any) -> int:
    if value == 0:
        return 0
    sign, m, e, _ = value._mpf_
    return f.encode(-int(m) if sign else int(m), int(e))


def _number(f: Format, raw: int) -> Any:
    m, e = f.split(raw)
    return mpmath.ldexp(mpmath.mpf(m), e)


def _with_precision(f: Format, raw: int, function: Callable[[Any], Any]) -> int:
    with mpmath.workprec(PRECISION):
        return _rounded(f, function(_number(f, raw)))


def _rcp(f: Format, a: int) -> int:
    sign = a & f.sign_bit
    if f.is_nan(a):
        return f.nan
    if f.is_inf(a):
        return sign
    return f.inf | sign if f.is_zero(a) else _with_precision(f, a, lambda x: 1 / x)


def _rsq(f: Format, a: int) -> int:
    if f.is_zero(a):
        return f.inf | a
    if f.is_nan(a) or f.negative(a):
        return f.nan
    return 0 if f.is_inf(a) else _with_precision(f, a, lambda x: 1 / mpmath.sqrt(x))


def _sqrt(f: Format, a: int) -> int:
    if f.is_zero(a) or a == f.inf:
        return a
    if f.is_nan(a) or f.negative(a):
        return f.nan
    return _with_precision(f, a, mpmath.sqrt)


def _log2(f: Format, a: int) -> int:
    if f.is_zero(a):
        return f.inf | f.sign_bit
    if f.is_nan(a) or f.negative(a):
        return f.nan
    return a if f.is_inf(a) else _with_precision(f, a, lambda x: mpmath.log(x, 2))


def _exp2(f: Format, a: int) -> int:
    if f.is_nan(a):
        return f.nan
    if f.is_inf(a):
        return 0 if f.negative(a) else f.inf
    if abs(f.value(a)) > 5000:
        return 0 if f.negative(a) else f.inf
    return _with_precision(f, a, lambda x: mpmath.power(2, x))


def _sin(f: Format, a: int) -> int:
    if f.is_nan(a) or f.is_inf(a):
        return f.nan
    return a if f.is_zero(a) else _with_precision(f, a, lambda x: mpmath.sinpi(2 * x))


def _cos(f: Format, a: int) -> int:
    if f.is_nan(a) or f.is_inf(a):
        return f.nan
    return _with_precision(f, a, lambda x: mpmath.cospi(2 * x))


def _flushing(function: Callable[[Format, int], int]) -> Callable[[int], int]:
    return lambda a: F32.flush(function(F32, F32.flush(a)))


for _name, _function in (("rcp", _rcp), ("rsq", _rsq), ("sqrt", _sqrt), ("log", _log2), ("exp", _exp2)):
    _names = f"v_{_name}_f32" + {"rcp": " v_rcp_iflag_f32", "log": " v_log_legacy_f32", "exp": " v_exp_legacy_f32"}.get(
        _name, ""
    )
    pure(_names, "f32 <- f32", _flushing(_function), ulp=1)
    pure(f"v_{_name}_f16", "f16 <- f16", lambda a, g=_function: g(F16, a), ulp=1)
for _name, _function in (("rcp", _rcp), ("rsq", _rsq), ("sqrt", _sqrt)):
    pure(f"v_{_name}_f64", "f64 <- f64", lambda a, g=_function: g(F64, a), ulp=1)
for _name, _function in (("sin", _sin), ("cos", _cos)):
    for _f in (F16, F32):
        pure(f"v_{_name}_{_f.name}", f"{_f.name} <- {_f.name}", lambda a, g=_function, f=_f: g(f, a), ulp=1)


@model("v_trig_preop_f64", "f64 <- f64 u32")
def _trig_preop(_: Context, a: int, segment: int) -> int:
    shift = (segment & 31) * 53
    if F64.exponent(a) > 1077:
        shift += F64.exponent(a) - 1077
    with mpmath.workprec(1300):
        digits = int(mpmath.floor(mpmath.ldexp(2 / mpmath.pi, 1201)))
    # Left shift in 1201 bits of which only the 53 that pass the binary point stay.
    result = (digits << shift & ((1 << 1201) - 1)) >> (1201 - 53)
    power = -53 - shift + (128 if F64.exponent(a) >= 1968 else 0)
    return F64.encode(result, power)
