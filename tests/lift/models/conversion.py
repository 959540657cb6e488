"""Conversions between integers and floats, to normalised integers, and FP8 (MI300 and RDNA3 ISA guides, V_CVT_*)."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from tests.lift.models.formats import BF8_FNUZ, F16, F32, F64, FP8_FNUZ, Format
from tests.lift.models.integer import saturate, signed
from tests.lift.models.registry import Context, model, pure

# -- integers to floats --------------------------------------------------------------------------------------------

pure("v_cvt_f32_i32", "f32 <- i32", F32.of_int)
pure("v_cvt_f32_u32", "f32 <- u32", F32.of_int)
pure("v_cvt_f64_i32", "f64 <- i32", F64.of_int)
pure("v_cvt_f64_u32", "f64 <- u32", F64.of_int)
pure("v_cvt_f16_i16", "f16 <- i16", F16.of_int)
pure("v_cvt_f16_u16", "f16 <- u16", F16.of_int)
for _k in range(4):
    pure(f"v_cvt_f32_ubyte{_k}", "f32 <- u32", lambda a, k=_k: F32.of_int(a >> 8 * k & 0xFF))
pure("v_cvt_off_f32_i4", "f32 <- u32", lambda a: F32.encode(signed(a, 4), -4))
pure("v_cvt_i32_i16", "i32 <- i16", lambda a: a)
pure("v_cvt_u32_u16", "u32 <- u16", lambda a: a)

# -- floats to floats ----------------------------------------------------------------------------------------------

pure("v_cvt_f16_f32", "f16 <- f32", lambda a: F16.convert(a, F32))
pure("v_cvt_f32_f16", "f32 <- f16", lambda a: F32.convert(a, F16))
pure("v_cvt_f32_f64", "f32 <- f64", lambda a: F32.convert(a, F64))
pure("v_cvt_f64_f32", "f64 <- f32", lambda a: F64.convert(a, F32))


@model("v_cvt_pk_rtz_f16_f32", "2f16 <- f32 f32")
def _rtz(_: Context, a: int, b: int) -> list[int]:
    return [F16.convert(a, F32, "zero"), F16.convert(b, F32, "zero")]


# -- floats to integers --------------------------------------------------------------------------------------------


ROUNDINGS: dict[str, Callable[[Fraction], int]] = {
    "trunc": math.trunc,
    "floor": math.floor,
    "even": round,
    "half_up": lambda x: math.floor(x + Fraction(1, 2)),
}


def to_int(f: Format, raw: int, low: int, high: int, how: str = "trunc") -> int:
    """Rounded, saturated to [low, high]; NaN gives 0."""
    if f.is_nan(raw):
        return 0
    if f.is_inf(raw):
        return low if f.negative(raw) else high
    value = f.fraction(raw)
    rounded = ROUNDINGS[how](value)
    return saturate(rounded, low, high)


I32 = (-(1 << 31), (1 << 31) - 1)
U32 = (0, (1 << 32) - 1)
I16 = (-(1 << 15), (1 << 15) - 1)
U16 = (0, (1 << 16) - 1)
pure("v_cvt_i32_f32", "i32 <- f32", lambda a: to_int(F32, a, *I32))
pure("v_cvt_u32_f32", "u32 <- f32", lambda a: to_int(F32, a, *U32))
pure("v_cvt_i32_f64", "i32 <- f64", lambda a: to_int(F64, a, *I32))
pure("v_cvt_u32_f64", "u32 <- f64", lambda a: to_int(F64, a, *U32))
pure("v_cvt_i16_f16", "i16 <- f16", lambda a: to_int(F16, a, *I16))
pure("v_cvt_u16_f16", "u16 <- f16", lambda a: to_int(F16, a, *U16))
pure("v_cvt_floor_i32_f32", "i32 <- f32", lambda a: to_int(F32, a, *I32, "floor"))
pure("v_cvt_nearest_i32_f32", "i32 <- f32", lambda a: to_int(F32, a, *I32, "half_up"))


def _pair(low: int, high: int) -> int:
    return (low & 0xFFFF) | (high & 0xFFFF) << 16


pure("v_cvt_pk_i16_f32", "u32 <- f32 f32", lambda a, b: _pair(to_int(F32, a, *I16), to_int(F32, b, *I16)))
pure("v_cvt_pk_u16_f32", "u32 <- f32 f32", lambda a, b: _pair(to_int(F32, a, *U16), to_int(F32, b, *U16)))
pure("v_cvt_pk_i16_i32", "u32 <- i32 i32", lambda a, b: _pair(saturate(a, *I16), saturate(b, *I16)))
pure("v_cvt_pk_u16_u32", "u32 <- u32 u32", lambda a, b: _pair(saturate(a, *U16), saturate(b, *U16)))


def _norm(f: Format, raw: int, is_signed: bool) -> int:
    """Nearest integer of x * 32767 or x * 65535 with x clamped to [-1, 1] or [0, 1]; NaN gives 0."""
    scale, low = (32767, -32767) if is_signed else (65535, 0)
    if f.is_nan(raw):
        return 0
    if f.is_inf(raw):
        return low if f.negative(raw) else scale
    return saturate(round(f.fraction(raw) * scale), low, scale)


pure("v_cvt_norm_i16_f16", "i16 <- f16", lambda a: _norm(F16, a, True))
pure("v_cvt_norm_u16_f16", "u16 <- f16", lambda a: _norm(F16, a, False))
for _f in (F16, F32):
    for _letter in "iu":
        pure(
            f"v_cvt_pk_norm_{_letter}16_{_f.name}",
            f"u32 <- {_f.name} {_f.name}",
            lambda a, b, f=_f, s=_letter == "i": _pair(_norm(f, a, s), _norm(f, b, s)),
        )


def _byte(old: int, where: int, value: int) -> int:
    return (old & ~(0xFF << 8 * where) | (value & 0xFF) << 8 * where) & 0xFFFFFFFF


# The guides do not say how f32_to_u8 rounds; the other conversions of that name truncate.
@model("v_cvt_pk_u8_f32", "u32 <- f32 u32 u32")
def _pk_u8(_: Context, a: int, where: int, old: int) -> int:
    return _byte(old, where & 3, to_int(F32, a, 0, 255))


@model("v_cvt_pkaccum_u8_f32", "u32 <- f32 u32 dst:u32")
def _pkaccum(_: Context, a: int, where: int, old: int) -> int:
    return _byte(old, where & 3, to_int(F32, a, 0, 255))


# -- FP8 -----------------------------------------------------------------------------------------------------------

FP8 = {"fp8": FP8_FNUZ, "bf8": BF8_FNUZ}


def to_fp8(f: Format, raw: int) -> int:
    """Nearest FP8 number of an f32; what is too large (MODE.FP16_OVFL clear) or infinite becomes NaN."""
    if F32.is_nan(raw) or F32.is_inf(raw):
        return f.nan
    return f.convert(raw, F32)


def stochastic_fp8(f: Format, raw: int, random: int) -> int:
    """An f32 rounded by adding random bits below the last place that FP8's normal numbers keep, then truncating."""
    if F32.is_nan(raw) or F32.is_inf(raw):
        return f.nan
    m, e = F32.split(raw)
    lost = 23 - f.man
    m = abs(m)
    # Below the smallest normal number the last place kept lies higher, and the random bits move up with it.
    lowest = 1 - f.bias - f.man
    shift = max(lost, lowest - e)
    noise = random >> (32 - lost) << (shift - lost)
    total = (m + noise) >> shift
    kept = f.encode(-total if F32.negative(raw) else total, e + shift, F32.negative(raw))
    return kept


for _n, _f8 in FP8.items():
    pure(f"v_cvt_f32_{_n}", "f32 <- u8", lambda a, f=_f8: F32.convert(a & 0xFF, f))
    pure(
        f"v_cvt_pk_f32_{_n}",
        "f32x2 <- u16",
        lambda a, f=_f8: [F32.convert(a & 0xFF, f), F32.convert(a >> 8 & 0xFF, f)],
    )
    pure(f"v_cvt_pk_{_n}_f32", "u16 <- f32 f32", lambda a, b, f=_f8: to_fp8(f, a) | to_fp8(f, b) << 8)
    pure(f"v_cvt_sr_{_n}_f32", "u8 <- f32 u32", lambda a, b, f=_f8: stochastic_fp8(f, a, b))
