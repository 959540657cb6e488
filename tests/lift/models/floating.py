"""Floating-point operations with exact results: arithmetic, minimum and maximum, rounding, parts of numbers, cube
maps."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from tests.lift.models.formats import F16, F32, F64, Format
from tests.lift.models.registry import Context, model, pure


def _each(names: str, shape: str, make: Callable[[Format], Callable[..., int]], formats: tuple[Format, ...]) -> None:
    """Register an operation for several formats: ``#`` in names and shape stands for the format's name."""
    for f in formats:
        pure(names.replace("#", f.name), shape.replace("#", f.name), make(f))


ALL = (F16, F32, F64)
_each("v_add_#", "# <- # #", lambda f: lambda a, b: f.add(a, b), ALL)
_each("v_mul_#", "# <- # #", lambda f: lambda a, b: f.mul(a, b), ALL)
_each("v_sub_#", "# <- # #", lambda f: lambda a, b: f.add(a, f.neg(b)), (F16, F32))
_each("v_subrev_#", "# <- # #", lambda f: lambda a, b: f.add(f.neg(a), b), (F16, F32))
_each("v_fma_#", "# <- # # #", lambda f: lambda a, b, c: f.fma(a, b, c), ALL)
_each("v_fmac_#", "# <- # # dst:#", lambda f: lambda a, b, c: f.fma(a, b, c), ALL)
_each("v_fmamk_# v_fmaak_#", "# <- # # #", lambda f: lambda a, b, c: f.fma(a, b, c), (F16, F32))
pure("v_fma_legacy_f16", "f16 <- f16 f16 f16", F16.fma)


def _mad(f: Format) -> Callable[[int, int, int], int]:
    # v_mad_f16 rounds the product before it adds.
    return lambda a, b, c: f.add(f.mul(a, b), c)


pure("v_mad_f16 v_mad_legacy_f16 v_madmk_f16 v_madak_f16", "f16 <- f16 f16 f16", _mad(F16))
pure("v_mac_f16", "f16 <- f16 f16 dst:f16", _mad(F16))


def _dx9_mul(a: int, b: int) -> int:
    return 0 if F32.is_zero(a) or F32.is_zero(b) else F32.mul(a, b)


def _dx9_fma(a: int, b: int, c: int) -> int:
    return c if F32.is_zero(a) or F32.is_zero(b) else F32.fma(a, b, c)


pure("v_mul_dx9_zero_f32", "f32 <- f32 f32", _dx9_mul)
pure("v_fma_dx9_zero_f32", "f32 <- f32 f32 f32", _dx9_fma)
pure("v_fmac_dx9_zero_f32", "f32 <- f32 f32 dst:f32", _dx9_fma)


@model("v_mullit_f32", "f32 <- f32 f32 f32")
def _mullit(_: Context, a: int, b: int, c: int) -> int:
    lowest = F32.largest | F32.sign_bit
    if b in (lowest, F32.inf | F32.sign_bit) or F32.is_nan(b) or F32.is_nan(c):
        return lowest
    return lowest if F32.value(c) <= 0 else F32.mul(a, b)


# -- minimum and maximum -------------------------------------------------------------------------------------------


def less(f: Format, a: int, b: int) -> bool:
    """a < b with -0 < +0."""
    if f.is_zero(a) and f.is_zero(b):
        return f.negative(a) and not f.negative(b)
    return f.value(a) < f.value(b)


def minimum(c: Context, f: Format, a: int, b: int) -> int:
    """v_min: a signalling NaN wins in IEEE mode, a number wins over a quiet NaN."""
    return _select(c, f, a, b, lambda x, y: x if less(f, x, y) else y)


def maximum(c: Context, f: Format, a: int, b: int) -> int:
    return _select(c, f, a, b, lambda x, y: x if less(f, y, x) else y)


def _select(c: Context, f: Format, a: int, b: int, pick: Callable[[int, int], int]) -> int:
    if c.ieee:
        for x in (a, b):
            if f.is_signalling(x):
                return f.quiet(x)
    if f.is_nan(a):
        return b
    return a if f.is_nan(b) else pick(a, b)


def _minmax(f: Format) -> None:
    n = f.name
    two, three = f"{n} <- {n} {n}", f"{n} <- {n} {n} {n}"

    @model(f"v_min_{n}", two)
    def _(c: Context, a: int, b: int) -> int:
        return minimum(c, f, a, b)

    @model(f"v_max_{n}", two)
    def _(c: Context, a: int, b: int) -> int:
        return maximum(c, f, a, b)

    if f is F64:
        return

    @model(f"v_min3_{n}", three)
    def _(c: Context, a: int, b: int, d: int) -> int:
        return minimum(c, f, minimum(c, f, a, b), d)

    @model(f"v_max3_{n}", three)
    def _(c: Context, a: int, b: int, d: int) -> int:
        return maximum(c, f, maximum(c, f, a, b), d)

    @model(f"v_maxmin_{n}", three)
    def _(c: Context, a: int, b: int, d: int) -> int:
        return minimum(c, f, maximum(c, f, a, b), d)

    @model(f"v_minmax_{n}", three)
    def _(c: Context, a: int, b: int, d: int) -> int:
        return maximum(c, f, minimum(c, f, a, b), d)

    @model(f"v_med3_{n}", three)
    def _(c: Context, a: int, b: int, d: int) -> int:
        if any(f.is_nan(x) for x in (a, b, d)):
            return minimum(c, f, minimum(c, f, a, b), d)
        top = f.value(maximum(c, f, maximum(c, f, a, b), d))
        if top == f.value(a):
            return maximum(c, f, b, d)
        return maximum(c, f, a, d) if top == f.value(b) else maximum(c, f, a, b)


for _f in ALL:
    _minmax(_f)


# -- rounding to integers ------------------------------------------------------------------------------------------


def _rounding(f: Format, how: Callable[[Fraction], int]) -> Callable[[int], int]:
    def function(a: int) -> int:
        if f.is_nan(a) or f.is_inf(a):
            return f.quiet(a) if f.is_nan(a) else a
        return f.encode(how(f.fraction(a)), 0, f.negative(a))

    return function


_each("v_floor_#", "# <- #", lambda f: _rounding(f, math.floor), ALL)
_each("v_ceil_#", "# <- #", lambda f: _rounding(f, math.ceil), ALL)
_each("v_trunc_#", "# <- #", lambda f: _rounding(f, math.trunc), ALL)
_each("v_rndne_#", "# <- #", lambda f: _rounding(f, round), ALL)


def _fract(f: Format) -> Callable[[int], int]:
    def function(a: int) -> int:
        if f.is_nan(a) or f.is_inf(a):
            return f.nan
        value = f.fraction(a)
        # The result stays below one (notes of V_FRACT); x - floor(x) is +0 for integers, -0 included.
        return min(f.of_fraction(value - math.floor(value)), f.one - 1)

    return function


_each("v_fract_#", "# <- #", _fract, ALL)

# -- parts ---------------------------------------------------------------------------------------------------------


def _frexp(f: Format, a: int) -> tuple[int, int]:
    """(bits of the significand in [0.5, 1), exponent)."""
    if f.is_nan(a) or f.is_inf(a) or f.is_zero(a):
        return a, 0
    m, e = f.split(a)
    length = abs(m).bit_length()
    return f.encode(m, -length), e + length


_each("v_frexp_mant_#", "# <- #", lambda f: lambda a: _frexp(f, a)[0], ALL)
pure("v_frexp_exp_i16_f16", "i16 <- f16", lambda a: _frexp(F16, a)[1])
pure("v_frexp_exp_i32_f32", "i32 <- f32", lambda a: _frexp(F32, a)[1])
pure("v_frexp_exp_i32_f64", "i32 <- f64", lambda a: _frexp(F64, a)[1])
pure("v_ldexp_f16", "f16 <- f16 i16", F16.scale)
pure("v_ldexp_f32", "f32 <- f32 i32", F32.scale)
pure("v_ldexp_f64", "f64 <- f64 i32", F64.scale)


# -- cube maps -----------------------------------------------------------------------------------------------------


def _face(a: int, b: int, c: int) -> str:
    x, y, z = (abs(F32.value(v)) for v in (a, b, c))
    if z >= x and z >= y:
        return "z"
    return "y" if y >= x else "x"


@model("v_cubeid_f32", "f32 <- f32 f32 f32")
def _cubeid(_: Context, a: int, b: int, c: int) -> int:
    face = _face(a, b, c)
    major = F32.value({"x": a, "y": b, "z": c}[face])
    return F32.of_float(float({"x": 0, "y": 2, "z": 4}[face] + (major < 0)))


@model("v_cubesc_f32", "f32 <- f32 f32 f32")
def _cubesc(_: Context, a: int, b: int, c: int) -> int:
    face = _face(a, b, c)
    if face == "z":
        return F32.neg(a) if F32.value(c) < 0 else a
    if face == "y":
        return a
    return c if F32.value(a) < 0 else F32.neg(c)


@model("v_cubetc_f32", "f32 <- f32 f32 f32")
def _cubetc(_: Context, a: int, b: int, c: int) -> int:
    if _face(a, b, c) == "y":
        return F32.neg(c) if F32.value(b) < 0 else c
    return F32.neg(b)


@model("v_cubema_f32", "f32 <- f32 f32 f32")
def _cubema(_: Context, a: int, b: int, c: int) -> int:
    return F32.scale({"x": a, "y": b, "z": c}[_face(a, b, c)], 1)
