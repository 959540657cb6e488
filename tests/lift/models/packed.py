"""Packed operations (V_PK_*), dot products and mixed-precision FMA (MI300 and RDNA3 ISA guides, VOP3P)."""

from __future__ import annotations

from collections.abc import Callable

from tests.lift.models.floating import maximum, minimum
from tests.lift.models.formats import BF16, F16, F32, F64, Format
from tests.lift.models.integer import saturate, signed
from tests.lift.models.registry import Context, OneOf, model, pure


def _halves(names: str, signature: str, function: Callable[..., int]) -> None:
    pure(names, signature, function, packed=True)


for _f in (F16, F32):
    _n = _f.name
    _halves(f"v_pk_add_{_n}", f"{_n} <- {_n} {_n}", _f.add)
    _halves(f"v_pk_mul_{_n}", f"{_n} <- {_n} {_n}", _f.mul)
    _halves(f"v_pk_fma_{_n}", f"{_n} <- {_n} {_n} {_n}", _f.fma)


@model("v_pk_min_f16", "f16 <- f16 f16", packed=True)
def _pk_min(c: Context, a: int, b: int) -> int:
    return minimum(c, F16, a, b)


@model("v_pk_max_f16", "f16 <- f16 f16", packed=True)
def _pk_max(c: Context, a: int, b: int) -> int:
    return maximum(c, F16, a, b)


_halves("v_pk_fmac_f16", "f16 <- f16 f16 dst:f16", F16.fma)
_halves("v_pk_lshlrev_b16", "u16 <- u16 u16", lambda a, b: b << (a & 15))
_halves("v_pk_lshrrev_b16", "u16 <- u16 u16", lambda a, b: b >> (a & 15))
_halves("v_pk_ashrrev_i16", "i16 <- u16 i16", lambda a, b: b >> (a & 15))
_halves("v_pk_min_i16", "i16 <- i16 i16", min)
_halves("v_pk_max_i16", "i16 <- i16 i16", max)
_halves("v_pk_min_u16", "u16 <- u16 u16", min)
_halves("v_pk_max_u16", "u16 <- u16 u16", max)
_halves("v_pk_mul_lo_u16", "u16 <- u16 u16", lambda a, b: a * b)


def _saturating(names: str, elem: str, inputs: int, function: Callable[..., int]) -> None:
    low, high = (-0x8000, 0x7FFF) if elem == "i16" else (0, 0xFFFF)

    @model(names, f"{elem} <- {' '.join([elem] * inputs)}", packed=True)
    def _(c: Context, *values: int) -> int:
        exact = function(*values)
        return saturate(exact, low, high) if c.clamp else exact


for _elem in ("i16", "u16"):
    _saturating(f"v_pk_add_{_elem}", _elem, 2, lambda a, b: a + b)
    _saturating(f"v_pk_sub_{_elem}", _elem, 2, lambda a, b: a - b)
    _saturating(f"v_pk_mad_{_elem}", _elem, 3, lambda a, b, c: a * b + c)

# -- dot products ------------------------------------------------------------------------------------------------------


def parts(word: int, bits: int, is_signed: bool) -> list[int]:
    """The packed integers of a dword, lowest first."""
    found = [word >> k & ((1 << bits) - 1) for k in range(0, 32, bits)]
    return [signed(x, bits) for x in found] if is_signed else found


def _dot(names: str, bits: int, elem: str, accumulate: bool = False) -> None:
    is_signed = elem == "i32"
    low, high = (-(1 << 31), (1 << 31) - 1) if is_signed else (0, (1 << 32) - 1)

    @model(names, f"{elem} <- u32 u32 {'dst:' if accumulate else ''}{elem}")
    def _(c: Context, a: int, b: int, d: int) -> int:
        pairs = zip(parts(a, bits, is_signed), parts(b, bits, is_signed), strict=True)
        exact = d + sum(x * y for x, y in pairs)
        return saturate(exact, low, high) if c.clamp else exact


_dot("v_dot4_i32_i8", 8, "i32")
_dot("v_dot4_u32_u8", 8, "u32")
_dot("v_dot8_i32_i4", 4, "i32")
_dot("v_dot8_u32_u4", 4, "u32")
_dot("v_dot2c_i32_i16", 16, "i32", accumulate=True)
_dot("v_dot4c_i32_i8", 8, "i32", accumulate=True)
_dot("v_dot8c_i32_i4", 4, "i32", accumulate=True)


def _float_dot(names: str, source: Format, result: Format, accumulate: bool = False) -> None:
    """The guides add two products to the third source, one after the other. They leave open where is rounded: after
    each fused addition, after each operation, in f32 or once at the end, so each of these is right."""

    def in_steps(wide: Format, a: list[int], b: list[int], c: int, fused: bool) -> int:
        pairs = [(wide.convert(x, source), wide.convert(y, source)) for x, y in zip(a, b, strict=True)]
        total = wide.convert(c, result)
        for x, y in pairs:
            total = wide.fma(x, y, total) if fused else wide.add(wide.mul(x, y), total)
        return result.convert(total, wide)

    def products_first(wide: Format, a: list[int], b: list[int], c: int) -> int:
        pairs = [(wide.convert(x, source), wide.convert(y, source)) for x, y in zip(a, b, strict=True)]
        return result.convert(wide.add(wide.fma(*pairs[1], wide.mul(*pairs[0])), wide.convert(c, result)), wide)

    @model(names, f"{result.name} <- 2{source.name} 2{source.name} {'dst:' if accumulate else ''}{result.name}", ulp=1)
    def _(_: Context, a: list[int], b: list[int], c: int) -> OneOf:
        ways = [in_steps(f, a, b, c, fused) for f in dict.fromkeys((result, F32, F64)) for fused in (True, False)]
        return OneOf((*ways, products_first(F32, a, b, c)))


_float_dot("v_dot2_f32_f16", F16, F32)
_float_dot("v_dot2_f32_bf16", BF16, F32)
_float_dot("v_dot2acc_f32_f16", F16, F32, accumulate=True)
_float_dot("v_dot2acc_f32_bf16", BF16, F32, accumulate=True)
_float_dot("v_dot2_f16_f16", F16, F16)
_float_dot("v_dot2_bf16_bf16", BF16, BF16)


@model("v_dot2_i32_i16", "i32 <- 2i16 2i16 i32")
def _dot2_i(c: Context, a: list[int], b: list[int], d: int) -> int:
    exact = d + a[0] * b[0] + a[1] * b[1]
    return saturate(exact, -(1 << 31), (1 << 31) - 1) if c.clamp else exact


@model("v_dot2_u32_u16", "u32 <- 2u16 2u16 u32")
def _dot2_u(c: Context, a: list[int], b: list[int], d: int) -> int:
    exact = d + a[0] * b[0] + a[1] * b[1]
    return saturate(exact, 0, (1 << 32) - 1) if c.clamp else exact


# -- mixed precision ---------------------------------------------------------------------------------------------------

pure("v_fma_mix_f32", "f32 <- mix mix mix", F32.fma)
pure("v_fma_mixlo_f16 v_fma_mixhi_f16", "f16 <- mix mix mix", lambda a, b, c: F16.convert(F32.fma(a, b, c), F32))
